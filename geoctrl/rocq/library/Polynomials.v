(* Polynomials with coefficients in a field: sums and products that keep values. *)
From Coq Require Import Reals QArith Qreals Qreduction List Lra Lia Bool PeanoNat ZArith Classical_Prop.
From Geoctrl Require Import OneDimension Orders Expressions Derivative Fields.
Import ListNotations.
Local Open Scope R_scope.

(* ---- exponents of the variables 0, 1, ... ---- *)
Definition mono := list nat.
Fixpoint mev (k : nat) (m : mono) (x : nat -> R) : R :=
  match m with [] => 1 | e :: m' => x k ^ e * mev (S k) m' x end.
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

Lemma pvar_mev x i : forall k, mev k (repeat O i ++ [1%nat]) x = x (k + i)%nat.
Proof. induction i; intros k; simpl; [rewrite Nat.add_0_r; ring|]. rewrite IHi.
  rewrite <- Nat.add_succ_comm. ring. Qed.

(* ---- exponents with coefficients ---- *)
Section Coefficients.
Variable F : field.
Definition poly := list (mono * F).
Fixpoint peval (x : nat -> R) (p : poly) : R :=
  match p with [] => 0 | (m, a) :: p' => val a * mev 0 m x + peval x p' end.

Fixpoint padd (p : poly) : poly -> poly :=
  fix go (q : poly) : poly :=
  match p, q with
  | [], _ => q | _, [] => p
  | (m, a) :: p', (m', b) :: q' =>
      match mcmp m m' with
      | Lt => (m, a) :: padd p' q
      | Gt => (m', b) :: go q'
      | Eq => let c := kadd a b in if is_zero c then padd p' q' else (m, c) :: padd p' q'
      end
  end.
Lemma padd_ok x p : forall q, peval x (padd p q) = peval x p + peval x q.
Proof.
  induction p as [|[m a] p IH].
  { destruct q as [|[]]; simpl; ring. }
  induction q as [|[m' b] q IHq]; [simpl; ring|].
  cbn [padd]. destruct (mcmp m m') eqn:E.
  - apply mcmp_eq in E; subst m'. assert (K := val_add F a b). destruct (is_zero (kadd a b)) eqn:Z.
    + apply val_zero in Z. rewrite IH. simpl. rewrite Z in K.
      replace (val b) with (- val a) by lra. ring.
    + cbn [peval]. rewrite IH, K. ring.
  - cbn [peval]. rewrite IH. simpl. ring.
  - cbn [peval]. change ((fix go (q : poly) : poly := _) q) with (padd ((m, a) :: p) q). rewrite IHq.
    simpl. ring.
Qed.
Definition pterm (m : mono) (a : F) (p : poly) : poly := map (fun t => (mmul m (fst t), kmul a (snd t))) p.
Lemma pterm_ok x m a p : peval x (pterm m a p) = val a * mev 0 m x * peval x p.
Proof. induction p as [|[m' b] p IH]; simpl; [ring|]. rewrite IH, mmul_ok, val_mul. ring. Qed.
Fixpoint pmul (p q : poly) : poly := match p with [] => [] | (m,
  a) :: p' => padd (pterm m a q) (pmul p' q) end.
Lemma pmul_ok x p q : peval x (pmul p q) = peval x p * peval x q.
Proof. induction p as [|[m a] p IH]; simpl; [ring|]. rewrite padd_ok, pterm_ok, IH. ring. Qed.
Definition pconst (a : F) : poly := if is_zero a then [] else [([], a)].
Lemma pconst_ok x a : peval x (pconst a) = val a.
Proof. unfold pconst. destruct (is_zero a) eqn:E; simpl; [rewrite (val_zero _ _ E); reflexivity|ring]. Qed.
Definition pvar (i : nat) : poly := [(repeat O i ++ [1%nat], of_q 1)].
Lemma pvar_ok x i : peval x (pvar i) = x i.
Proof. unfold pvar, peval. rewrite pvar_mev, val_q, q2r_1. simpl. ring. Qed.
Definition pscal (a : F) (p : poly) : poly := if is_zero a then [] else pterm [] a p.
Lemma pscal_ok x a p : peval x (pscal a p) = val a * peval x p.
Proof. unfold pscal. destruct (is_zero a) eqn:E; [rewrite (val_zero _ _ E); simpl; ring|].
  rewrite pterm_ok. simpl. ring. Qed.
Definition pnil (p : poly) : bool := match p with [] => true | _ => false end.
Lemma pnil_ok x p : pnil p = true -> peval x p = 0. Proof. destruct p; simpl; [reflexivity|discriminate]. Qed.
End Coefficients.
Arguments peval {F}. Arguments padd {F}. Arguments pmul {F}. Arguments pterm {F}. Arguments pconst {F}.
Arguments pvar {F}. Arguments pscal {F}. Arguments pnil {F}.
Arguments padd_ok {F}. Arguments pmul_ok {F}. Arguments pterm_ok {F}. Arguments pconst_ok {F}.
Arguments pvar_ok {F}. Arguments pscal_ok {F}. Arguments pnil_ok {F}.
