(* Sizes of vectors, and functions that are small of some order: |F h| <= M |h|^k near zero. No bound is
   ever computed, they only exist. *)
From Coq Require Import Reals QArith Qreals Qreduction List Lra Lia Bool PeanoNat ZArith Classical_Prop.
From Geoctrl Require Import OneDimension.
Import ListNotations.
Local Open Scope R_scope.

(* ---- vectors: functions of an index below n ---- *)
Fixpoint S1 (n : nat) (h : nat -> R) : R := match n with O => 0 | S k => S1 k h + Rabs (h k) end.
Fixpoint Q1 (n : nat) (h : nat -> R) : R := match n with O => 0 | S k => Q1 k h + h k * h k end.

Lemma S1_pos n h : 0 <= S1 n h.
Proof. induction n; simpl; [lra|]. assert (0 <= Rabs (h n)) by apply Rabs_pos. lra. Qed.
Lemma S1_ge n h i : (i < n)%nat -> Rabs (h i) <= S1 n h.
Proof.
  induction n; simpl; intros H; [lia|]. assert (0 <= Rabs (h n)) by apply Rabs_pos. assert (P := S1_pos n h).
  destruct (Nat.eq_dec i n) as [->|]; [lra|]. assert (Rabs (h i) <= S1 n h) by (apply IHn; lia). lra.
Qed.
Lemma S1_lt n h d : (forall i, (i < n)%nat -> Rabs (h i) < d) -> 0 < d -> S1 n h <= INR n * d.
Proof.
  intros H Hd. induction n; [simpl; lra|]. rewrite S_INR. simpl.
  assert (Rabs (h n) < d) by (apply H; lia). assert (S1 n h <= INR n * d) by (apply IHn; intros; apply H;
    lia). lra.
Qed.
Lemma S1_ext n h k : (forall i, (i < n)%nat -> h i = k i) -> S1 n h = S1 n k.
Proof. intros H. induction n; simpl; [reflexivity|]. rewrite IHn, (H n); [reflexivity|lia|intros; apply H;
  lia]. Qed.
Lemma S1_Q1 n h : S1 n h * S1 n h <= INR n * Q1 n h.
Proof.
  induction n; [simpl; lra|]. rewrite S_INR. simpl.
  assert (A : Rabs (h n) * Rabs (h n) = h n * h n).
  { unfold Rabs; destruct Rcase_abs; ring. }
  set (a := Rabs (h n)) in *. set (s := S1 n h) in *. set (q := Q1 n h) in *. set (N := INR n) in *.
  assert (HN : 0 <= N) by apply pos_INR. rewrite <- A.
  assert (2 * s * a <= q + N * (a * a)); [|lra].
  destruct (Nat.eq_dec n 0) as [E|E].
  { assert (s = 0) by (unfold s; rewrite E; reflexivity).
    assert (q = 0) by (unfold q; rewrite E; reflexivity).
      assert (N = 0) by (unfold N; rewrite E; reflexivity).
    rewrite H, H0, H1. lra. }
  assert (0 < N) by (apply lt_0_INR; lia).
  assert (0 <= (s - N * a) * (s - N * a)) by apply Rle_0_sqr.
  apply Rmult_le_reg_l with N; [assumption|]. lra.
Qed.
Lemma Q1_pos n h : 0 <= Q1 n h.
Proof. induction n; simpl; [lra|]. assert (0 <= h n * h n) by apply Rle_0_sqr. lra. Qed.

Lemma S1_cont n (X : R -> nat -> R) (e : nat -> R) :
  (forall i, (i < n)%nat -> continuity (fun t => X t i)) -> continuity (fun t => S1 n (fun i => X t i - e i)).
Proof.
  intros H. induction n; simpl.
  - apply continuity_const. intros a b; reflexivity.
  - apply (continuity_plus (fun t => S1 n (fun i => X t i - e i)) (fun t => Rabs (X t n - e n))).
    + apply IHn. intros; apply H; lia.
    + apply (continuity_comp (fun t => X t n - e n) Rabs); [|apply Rcontinuity_abs].
      apply (continuity_minus (fun t => X t n) (fun _ => e n)); [apply H; lia|].
      apply continuity_const. intros a b; reflexivity.
Qed.

(* ---- orders of magnitude ---- *)
Definition O_ (n k : nat) (F : (nat -> R) -> R) : Prop :=
  exists M r, 0 <= M /\ 0 < r /\ forall h, S1 n h <= r -> Rabs (F h) <= M * S1 n h ^ k.

Lemma O_ext n k F G : (forall h, F h = G h) -> O_ n k F -> O_ n k G.
Proof. intros E (M & r & HM & Hr & H). exists M, r. repeat split; try assumption. intros. rewrite <- E.
  auto. Qed.
Lemma O_near n k F G r : 0 < r -> (forall h, S1 n h <= r -> F h = G h) -> O_ n k F -> O_ n k G.
Proof.
  intros Hr E (M & r' & HM & Hr' & H). exists M, (Rmin r r').
    repeat split; [assumption|apply Rmin_pos; assumption|].
  intros h Hh. assert (Rmin r r' <= r) by apply Rmin_l. assert (Rmin r r' <= r') by apply Rmin_r.
  rewrite <- E by lra. apply H; lra.
Qed.
Lemma O_add n k F G : O_ n k F -> O_ n k G -> O_ n k (fun h => F h + G h).
Proof.
  intros (M & r & HM & Hr & H) (M' & r' & HM' & Hr' & H'). exists (M + M'), (Rmin r r').
  repeat split; [lra|apply Rmin_pos; assumption|]. intros h Hh.
  assert (Rmin r r' <= r) by apply Rmin_l. assert (Rmin r r' <= r') by apply Rmin_r.
  eapply Rle_trans; [apply Rabs_triang|]. rewrite Rmult_plus_distr_r.
    apply Rplus_le_compat; [apply H|apply H']; lra.
Qed.
Lemma O_mul n j k F G : O_ n j F -> O_ n k G -> O_ n (j + k) (fun h => F h * G h).
Proof.
  intros (M & r & HM & Hr & H) (M' & r' & HM' & Hr' & H'). exists (M * M'), (Rmin r r').
  repeat split; [apply Rmult_le_pos; assumption|apply Rmin_pos; assumption|]. intros h Hh.
  assert (Rmin r r' <= r) by apply Rmin_l. assert (Rmin r r' <= r') by apply Rmin_r.
  rewrite Rabs_mult, pow_add. replace (M * M' * (S1 n h ^ j * S1 n h ^ k)) with (M * S1 n h ^ j * (M' * S1 n
    h ^ k)) by ring.
  apply Rmult_le_compat; try apply Rabs_pos; [apply H|apply H']; lra.
Qed.
Lemma O_const n c : O_ n 0 (fun _ => c).
Proof. exists (Rabs c), 1. repeat split; [apply Rabs_pos|lra|]. intros; simpl; lra. Qed.
Lemma O_zero n k : O_ n k (fun _ => 0).
Proof. exists 0, 1. repeat split; try lra. intros. rewrite Rabs_R0. lra. Qed.
Lemma O_scal n k c F : O_ n k F -> O_ n k (fun h => c * F h).
Proof. intros H. apply (O_mul n 0 k (fun _ => c) F); [apply O_const|exact H]. Qed.
Lemma O_opp n k F : O_ n k F -> O_ n k (fun h => - F h).
Proof. intros H. apply (O_ext n k (fun h => (-1) * F h)); [intros; ring|]. apply O_scal; exact H. Qed.
Lemma O_sub n k F G : O_ n k F -> O_ n k G -> O_ n k (fun h => F h - G h).
Proof. intros H K. apply (O_ext n k (fun h => F h + - G h)); [intros; ring|].
  apply O_add; [exact H|apply O_opp; exact K]. Qed.
Lemma O_var n i : (i < n)%nat -> O_ n 1 (fun h => h i).
Proof. intros H. exists 1, 1. repeat split; try lra. intros h _. assert (A := S1_ge n h i H). simpl. lra. Qed.
Lemma O_weak n k F : O_ n (S k) F -> O_ n k F.
Proof.
  intros (M & r & HM & Hr & H). exists M, (Rmin r 1). repeat split; [assumption|apply Rmin_pos; lra|].
  intros h Hh. assert (Rmin r 1 <= r) by apply Rmin_l. assert (Rmin r 1 <= 1) by apply Rmin_r.
  eapply Rle_trans; [apply H; lra|]. apply Rmult_le_compat_l; [assumption|]. simpl.
  assert (P := S1_pos n h). rewrite <- (Rmult_1_l (S1 n h ^ k)) at 2.
    apply Rmult_le_compat_r; [apply pow_le; assumption|lra].
Qed.
Lemma O_le n j k F : (j <= k)%nat -> O_ n k F -> O_ n j F.
Proof. intros H. induction H; [auto|]. intros K. apply IHle, O_weak, K. Qed.
Lemma O_small n F eps : O_ n 1 F -> 0 < eps -> exists r, 0 < r /\ forall h, S1 n h <= r -> Rabs (F h) < eps.
Proof.
  intros (M & r & HM & Hr & H) He. exists (Rmin r (eps / (2 * (M + 1)))). split.
  { apply Rmin_pos; [assumption|]. apply Rdiv_lt_0_compat; lra. }
  intros h Hh. assert (A := Rmin_l r (eps / (2 * (M + 1)))). assert (B := Rmin_r r (eps / (2 * (M + 1)))).
  assert (P := S1_pos n h). eapply Rle_lt_trans; [apply H; lra|]. simpl. rewrite Rmult_1_r.
  assert (S1 n h <= eps / (2 * (M + 1))) by lra.
  apply Rle_lt_trans with ((M + 1) * (eps / (2 * (M + 1)))); [apply Rmult_le_compat; lra|].
  replace ((M + 1) * (eps / (2 * (M + 1)))) with (eps / 2) by (field; lra). lra.
Qed.

Lemma S1_split n m v : S1 (n + m) v = S1 n v + S1 m (fun l => v (n + l)%nat).
Proof. induction m; simpl; [rewrite Nat.add_0_r; ring|]. rewrite Nat.add_succ_r. simpl. rewrite IHm. ring.
  Qed.

(* the way from e to x *)
Definition off (e : nat -> R) (x : nat -> R) : nat -> R := fun i => x i - e i.
