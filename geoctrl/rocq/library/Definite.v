(* A quadratic form that is a sum of squares up to a small rest is positive definite; so is one that is so
   where linear forms vanish, once their squares are added (Finsler). *)
From Coq Require Import Reals QArith Qreals Qreduction List Lra Lia Bool PeanoNat ZArith Classical_Prop.
From Geoctrl Require Import OneDimension Orders Expressions Derivative Fields Polynomials Identities Taylor
  Jets.
Import ListNotations.
Local Open Scope R_scope.

Section Over.
Context {FF : field}.

(* ---- sums over lists ---- *)
Section Sums.
Context {A : Type}.
Fixpoint sumf (g : A -> R) (l : list A) : R := match l with [] => 0 | a :: l' => g a + sumf g l' end.
Fixpoint sump (g : A -> poly FF) (l : list A) : poly FF := match l with [] => [] | a :: l' => padd (g a)
  (sump g
  l') end.
Lemma sump_ok x g l : peval x (sump g l) = sumf (fun a => peval x (g a)) l.
Proof. induction l; simpl; [reflexivity|]. rewrite padd_ok, IHl. reflexivity. Qed.
Lemma sumf_ext g k l : (forall a, In a l -> g a = k a) -> sumf g l = sumf k l.
Proof. induction l; simpl; intros H; [reflexivity|]. rewrite (H a), IHl; auto. Qed.
Lemma sumf_le g k l : (forall a, In a l -> g a <= k a) -> sumf g l <= sumf k l.
Proof. induction l; simpl; intros H; [lra|]. apply Rplus_le_compat; auto. Qed.
Lemma sumf_add g k l : sumf (fun a => g a + k a) l = sumf g l + sumf k l.
Proof. induction l; simpl; [ring|]. rewrite IHl. ring. Qed.
Lemma sumf_scal c g l : sumf (fun a => c * g a) l = c * sumf g l.
Proof. induction l; simpl; [ring|]. rewrite IHl. ring. Qed.
Lemma sumf_pos g l : (forall a, In a l -> 0 <= g a) -> 0 <= sumf g l.
Proof. induction l; simpl; intros H; [lra|]. assert (0 <= g a) by auto. assert (0 <= sumf g l) by auto.
  lra. Qed.
Lemma O_sumf n k (g : A -> (nat -> R) -> R) l : (forall a, In a l -> O_ n k (g a)) ->
  O_ n k (fun h => sumf (fun a => g a h) l).
Proof. induction l; simpl; intros H; [apply O_zero|]. apply O_add; auto. Qed.
End Sums.

Fixpoint lin (k : nat) (l : list Q) : poly FF := match l with [] => [] | q :: l' => padd (pscal (of_q q)
  (pvar k))
  (lin (S k) l') end.
Definition psq (p : poly FF) : poly FF := pmul p p.
Fixpoint pnorm2 (n : nat) : poly FF := match n with O => [] | S k => padd (pnorm2 k) (psq (pvar k)) end.
Lemma psq_ok x p : peval x (psq p) = peval x p * peval x p. Proof. apply pmul_ok. Qed.
Lemma pnorm2_ok x n : peval x (pnorm2 n) = Q1 n x.
Proof. induction n; simpl; [reflexivity|]. rewrite padd_ok, psq_ok, IHn, pvar_ok. reflexivity. Qed.

(* what is left of a quadratic form after its squares: only terms of second order, with small coefficients *)
Definition mdeg (m : mono) : nat := fold_right Nat.add O m.
Definition kabs (a : FF) : FF := if nonneg a then a else kneg a.
Lemma val_abs a : val (kabs a) = Rabs (val a).
Proof.
  unfold kabs. assert (S := val_sign FF a). destruct (nonneg a); [rewrite Rabs_right; lra|].
  rewrite val_neg, Rabs_left1; lra.
Qed.
Fixpoint psize (p : poly FF) : FF :=
  match p with [] => of_q 0 | t :: p' => kadd (kabs (snd t)) (psize p') end.
Definition quadratic (n : nat) (p : poly FF) : bool := forallb (fun t => Nat.eqb (mdeg (fst t)) 2 &&
  Nat.leb (length (fst t)) n) p.
Lemma Q1_ge n h i : (i < n)%nat -> h i * h i <= Q1 n h.
Proof.
  induction n; simpl; intros H; [lia|]. assert (P := Q1_pos n h). assert (0 <= h n * h n) by apply Rle_0_sqr.
  destruct (Nat.eq_dec i n) as [->|]; [lra|]. assert (h i * h i <= Q1 n h) by (apply IHn; lia). lra.
Qed.
Lemma mev_bound n x B : 0 <= B -> (forall i, (i < n)%nat -> Rabs (x i) <= B) ->
  forall m k, (k + length m <= n)%nat -> Rabs (mev k m x) <= B ^ mdeg m.
Proof.
  intros HB H. induction m as [|e m IH]; intros k Hk; simpl in *; [rewrite Rabs_R1; lra|].
  rewrite Rabs_mult, pow_add. apply Rmult_le_compat; try apply Rabs_pos; [|apply IH; lia].
  rewrite <- RPow_abs. apply pow_incr. split; [apply Rabs_pos|apply H; lia].
Qed.
Lemma quadratic_ok n p x : quadratic n p = true -> Rabs (peval x p) <= val (psize p) * Q1 n x.
Proof.
  induction p as [|[m q] p IH]; simpl; intros H.
  { rewrite Rabs_R0, val_q, q2r_0. assert (P := Q1_pos n x). lra. }
  apply andb_true_iff in H. destruct H as [H1 H2]. apply andb_true_iff in H1. destruct H1 as [Hd Hl].
  apply Nat.eqb_eq in Hd. apply Nat.leb_le in Hl. rewrite val_add, val_abs. specialize (IH H2).
  assert (M : Rabs (mev 0 m x) <= Q1 n x).
  { assert (P := Q1_pos n x). assert (K := mev_bound n x (sqrt (Q1 n x)) (sqrt_pos _)).
    specialize (K) with (m := m) (k := O).
    rewrite Hd in K. replace (sqrt (Q1 n x) ^ 2) with (Q1 n x) in K by (simpl;
      rewrite Rmult_1_r, sqrt_sqrt; [reflexivity|exact P]).
    apply K; [|lia]. intros i Hi. rewrite <- sqrt_Rsqr_abs. apply sqrt_le_1_alt. unfold Rsqr.
      apply Q1_ge, Hi. }
  eapply Rle_trans; [apply Rabs_triang|]. rewrite Rmult_plus_distr_r. apply Rplus_le_compat; [|exact IH].
  rewrite Rabs_mult. apply Rmult_le_compat_l; [apply Rabs_pos|exact M].
Qed.

(* a witness that a quadratic form is positive: S = 2 c |x|^2 + sum of d l^2 + what is less than c |x|^2 *)
Definition squares := list (Q * list Q).
Definition square_of (s : Q * list Q) : poly FF := pscal (of_q (fst s)) (psq (lin 0 (snd s))).
Definition left_over (n : nat) (c : Q) (w : squares) (S : poly FF) : poly FF :=
  padd S (pscal (of_q (-1#1)) (padd (pscal (of_q (qadd c c)) (pnorm2 n)) (sump square_of w))).
Definition positive_by (n : nat) (c : Q) (w : squares) (S : poly FF) : bool :=
  negb (Qle_bool c 0) && forallb (fun s => Qle_bool 0 (fst s)) w &&
  let left := left_over n c w S in quadratic n left && nonneg (kadd (of_q c) (kneg (psize left))).
Lemma positive_by_ok n c w S : positive_by n c w S = true ->
  0 < q2r c /\ forall x, q2r c * Q1 n x <= peval x S.
Proof.
  unfold positive_by. intros H. apply andb_true_iff in H. destruct H as [H Hz]. apply andb_true_iff in H.
  destruct H as [Hc Hd]. apply negb_true_iff in Hc. split; [apply q2r_pos, Hc|]. intros x.
  apply andb_true_iff in Hz. destruct Hz as [Hz Hs].
  apply (quadratic_ok n _ x) in Hz. apply nonneg_val in Hs. rewrite val_add, val_neg, val_q in Hs.
  set (z := val (psize (left_over n c w S))) in *. unfold left_over in Hz.
  rewrite padd_ok, pscal_ok, val_q, q2r_m1, padd_ok, pscal_ok, val_q, q2r_add, pnorm2_ok, sump_ok in Hz.
  assert (K : 0 <= sumf (fun s => peval x (square_of s)) w).
  { apply sumf_pos. intros s Hs'. unfold square_of. rewrite pscal_ok, psq_ok, val_q.
    apply Rmult_le_pos; [|apply Rle_0_sqr].
    rewrite forallb_forall in Hd. rewrite <- q2r_0. apply q2r_le, Hd, Hs'. }
  assert (P := Q1_pos n x). assert (z * Q1 n x <= q2r c * Q1 n x) by (apply Rmult_le_compat_r; lra).
  match type of Hz with Rabs ?v <= _ => assert (- v <= Rabs v) by (rewrite <- Rabs_Ropp; apply Rle_abs) end.
  lra.
Qed.

(* ---- Finsler: a form positive where linear parts vanish ---- *)
Lemma cubic_small n c (D : (nat -> R) -> R) : 0 < c -> O_ n 3 D ->
  exists r, 0 < r /\ forall h, S1 n h <= r -> Rabs (D h) <= c * (S1 n h * S1 n h).
Proof.
  intros Hc (M & r & HM & Hr & H). exists (Rmin r (c / (M + 1))). split.
  { apply Rmin_pos; [assumption|apply Rdiv_lt_0_compat; lra]. }
  intros h Hh. assert (A1 := Rmin_l r (c / (M + 1))). assert (A2 := Rmin_r r (c / (M + 1))).
  assert (P := S1_pos n h). set (s := S1 n h) in *. eapply Rle_trans; [apply H; fold s; lra|]. fold s.
  replace (M * s ^ 3) with (M * s * (s * s)) by ring. apply Rmult_le_compat_r; [apply Rmult_le_pos;
    assumption|].
  apply Rle_trans with ((M + 1) * s); [apply Rmult_le_compat_r; lra|].
  replace c with ((M + 1) * (c / (M + 1))) by (field; lra). apply Rmult_le_compat_l; lra.
Qed.
Lemma S1_Q1' n h : S1 n h * S1 n h <= (INR n + 1) * Q1 n h.
Proof. assert (A := S1_Q1 n h). assert (B := Q1_pos n h). lra. Qed.
End Over.
