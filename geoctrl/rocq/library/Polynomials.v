(* Polynomials with rational coefficients: sums and products that keep values. *)
From Coq Require Import Reals QArith Qreals Qreduction List Lra Lia Bool PeanoNat ZArith Classical_Prop.
From Geoctrl Require Import OneDimension Orders Expressions Derivative.
Import ListNotations.
Local Open Scope R_scope.


(* ---- polynomials with rational coefficients: exponents of the variables 0, 1, ... and a coefficient ---- *)
Definition mono := list nat.
Definition poly := list (mono * Q).
Fixpoint mev (k : nat) (m : mono) (x : nat -> R) : R := match m with [] => 1 | e :: m' => x k ^ e * mev (S
  k) m' x end.
Fixpoint peval (x : nat -> R) (p : poly) : R :=
  match p with [] => 0 | (m, q) :: p' => q2r q * mev 0 m x + peval x p' end.

Lemma q2r_eq a b : (a == b)%Q -> q2r a = q2r b. Proof. rewrite !q2r_Q2R. apply Qeq_eqR. Qed.
Definition qadd a b := Qred (a + b).
Definition qmul a b := Qred (a * b).
Lemma q2r_add a b : q2r (qadd a b) = q2r a + q2r b.
Proof. unfold qadd. rewrite (q2r_eq _ (a + b)) by apply Qred_correct. rewrite !q2r_Q2R. apply Q2R_plus. Qed.
Lemma q2r_mul a b : q2r (qmul a b) = q2r a * q2r b.
Proof. unfold qmul. rewrite (q2r_eq _ (a * b)) by apply Qred_correct. rewrite !q2r_Q2R. apply Q2R_mult. Qed.
Lemma q2r_inv a : ~ (a == 0)%Q -> q2r (/ a) = / q2r a. Proof. rewrite !q2r_Q2R. apply Q2R_inv. Qed.
Lemma q2r_zero a : Qeq_bool a 0 = true -> q2r a = 0.
Proof. intros H. rewrite (q2r_eq a 0 (Qeq_bool_eq _ _ H)). apply q2r_0. Qed.
Lemma q2r_nonzero a : Qeq_bool a 0 = false -> q2r a <> 0.
Proof. intros H E. apply Qeq_bool_neq in H. apply H. apply eqR_Qeq. rewrite <- !q2r_Q2R, E. symmetry.
  apply q2r_0. Qed.
Lemma q2r_le a b : Qle_bool a b = true -> q2r a <= q2r b.
Proof. intros H. rewrite !q2r_Q2R. apply Qle_Rle. apply Qle_bool_iff. exact H. Qed.
Lemma q2r_pos a : Qle_bool a 0 = false -> 0 < q2r a.
Proof.
  intros H. destruct (Rlt_le_dec 0 (q2r a)) as [|K]; [assumption|exfalso].
  rewrite <- q2r_0, !q2r_Q2R in K. apply Rle_Qle in K. apply Qle_bool_iff in K. congruence.
Qed.

Fixpoint mcmp (a b : mono) : comparison :=
  match a, b with
  | [], [] => Eq | [], _ => Lt | _, [] => Gt
  | x :: a', y :: b' => match Nat.compare x y with Eq => mcmp a' b' | c => c end
  end.
Lemma mcmp_eq a : forall b, mcmp a b = Eq -> a = b.
Proof.
  induction a; destruct b; simpl; try congruence. destruct (Nat.compare a n) eqn:E; try congruence.
  apply Nat.compare_eq in E. intros H. f_equal; auto.
Qed.
Fixpoint mmul (a b : mono) : mono :=
  match a, b with [], _ => b | _, [] => a | x :: a', y :: b' => (x + y)%nat :: mmul a' b' end.
Lemma mmul_ok x a : forall k b, mev k (mmul a b) x = mev k a x * mev k b x.
Proof.
  induction a; destruct b; simpl; try ring. rewrite IHa, pow_add. ring.
Qed.

Fixpoint padd (p : poly) : poly -> poly :=
  fix go (q : poly) : poly :=
  match p, q with
  | [], _ => q | _, [] => p
  | (m, a) :: p', (m', b) :: q' =>
      match mcmp m m' with
      | Lt => (m, a) :: padd p' q
      | Gt => (m', b) :: go q'
      | Eq => let c := qadd a b in if Qeq_bool c 0 then padd p' q' else (m, c) :: padd p' q'
      end
  end.
Lemma padd_ok x p : forall q, peval x (padd p q) = peval x p + peval x q.
Proof.
  induction p as [|[m a] p IH].
  { destruct q as [|[]]; simpl; ring. }
  induction q as [|[m' b] q IHq]; [simpl; ring|].
  cbn [padd]. destruct (mcmp m m') eqn:E.
  - apply mcmp_eq in E; subst m'. assert (K := q2r_add a b). destruct (Qeq_bool (qadd a b) 0) eqn:Z.
    + apply q2r_zero in Z. rewrite IH. simpl. rewrite Z in K.
      replace (q2r b) with (- q2r a) by lra. ring.
    + cbn [peval]. rewrite IH, K. ring.
  - cbn [peval]. rewrite IH. simpl. ring.
  - cbn [peval]. change ((fix go (q : poly) : poly := _) q) with (padd ((m, a) :: p) q). rewrite IHq.
    simpl. ring.
Qed.
Definition pterm (m : mono) (a : Q) (p : poly) : poly := map (fun t => (mmul m (fst t), qmul a (snd t))) p.
Lemma pterm_ok x m a p : peval x (pterm m a p) = q2r a * mev 0 m x * peval x p.
Proof. induction p as [|[m' b] p IH]; simpl; [ring|]. rewrite IH, mmul_ok, q2r_mul. ring. Qed.
Fixpoint pmul (p q : poly) : poly := match p with [] => [] | (m,
  a) :: p' => padd (pterm m a q) (pmul p' q) end.
Lemma pmul_ok x p q : peval x (pmul p q) = peval x p * peval x q.
Proof. induction p as [|[m a] p IH]; simpl; [ring|]. rewrite padd_ok, pterm_ok, IH. ring. Qed.
Definition pconst (q : Q) : poly := if Qeq_bool q 0 then [] else [([], q)].
Lemma pconst_ok x q : peval x (pconst q) = q2r q.
Proof. unfold pconst. destruct (Qeq_bool q 0) eqn:E; simpl; [rewrite (q2r_zero _ E); reflexivity|ring]. Qed.
Definition pvar (i : nat) : poly := [(repeat O i ++ [1%nat], 1%Q)].
Lemma pvar_mev x i : forall k, mev k (repeat O i ++ [1%nat]) x = x (k + i)%nat.
Proof. induction i; intros k; simpl; [rewrite Nat.add_0_r; ring|]. rewrite IHi.
  rewrite <- Nat.add_succ_comm. ring. Qed.
Lemma pvar_ok x i : peval x (pvar i) = x i.
Proof. unfold pvar, peval. rewrite pvar_mev, q2r_1. simpl. ring. Qed.
Definition pscal (a : Q) (p : poly) : poly := if Qeq_bool a 0 then [] else pterm [] a p.
Lemma pscal_ok x a p : peval x (pscal a p) = q2r a * peval x p.
Proof. unfold pscal. destruct (Qeq_bool a 0) eqn:E; [rewrite (q2r_zero _ E); simpl; ring|].
  rewrite pterm_ok. simpl. ring. Qed.
Definition pnil (p : poly) : bool := match p with [] => true | _ => false end.
Lemma pnil_ok x p : pnil p = true -> peval x p = 0. Proof. destruct p; simpl; [reflexivity|discriminate]. Qed.

Lemma q2r_times a b : q2r (a * b) = q2r a * q2r b. Proof. rewrite !q2r_Q2R. apply Q2R_mult. Qed.
Lemma q2r_plus a b : q2r (a + b) = q2r a + q2r b. Proof. rewrite !q2r_Q2R. apply Q2R_plus. Qed.
Lemma q2r_opp a : q2r (- a) = - q2r a. Proof. rewrite !q2r_Q2R. apply Q2R_opp. Qed.
Lemma q2r_red a : q2r (Qred a) = q2r a. Proof. apply q2r_eq, Qred_correct. Qed.
Lemma q2r_int z : q2r (z # 1) = IZR z. Proof. reflexivity. Qed.
