(* Motions of x' = f(x, z) with equations q(x, z) = 0 for some z, of which nothing is assumed; what is kept
   by all of them, by an identity. *)
From Coq Require Import Reals QArith Qreals Qreduction List Lra Lia Bool PeanoNat ZArith Classical_Prop.
From Geoctrl Require Import OneDimension Orders Expressions Derivative Fields Polynomials Identities Taylor
  Jets
  Definite.
Import ListNotations.
Local Open Scope R_scope.

(* ---- motions: states Y t i for i < n obey x' = f, the equations hold at every instant ---- *)
Record motion (n : nat) (f eqs : list expr) (Y : R -> nat -> R) (T : R) : Prop := Motion {
  m_cont : forall i, (i < n)%nat -> cont_on (fun t => Y t i) T;
  m_der : forall t, 0 < t < T -> forall i, (i < n)%nat -> derivable_pt_lim (fun s => Y s i) t (eval (Y t)
    (nth i f (Num 0)));
  m_eqs : forall t, 0 < t < T -> forall q, In q eqs -> eval (Y t) q = 0 }.

Definition stable (n : nat) (f eqs : list expr) (e : list expr) (leaf : list expr) : Prop :=
  forall eps, 0 < eps -> exists d, 0 < d /\ forall (Y : R -> nat -> R) (T : R), 0 <= T ->
    motion n f eqs Y T ->
    (forall g, In g leaf -> eval (Y 0) g = 0) -> (forall i, (i < n)%nat -> Rabs (Y 0 i - vec e i) < d) ->
    forall t, 0 <= t <= T -> forall i, (i < n)%nat -> Rabs (Y t i - vec e i) < eps.

Inductive rel := REq (i : nat) | RLeaf (i : nat) | RSqrt (i : nat) | RTrig (a : expr).
Definition combo := list (expr * rel).

Section Keep.
Variables (n m : nat) (f eqs : list expr) (e : list expr) (atoms : list expr).

Definition rel_expr (leaf : list expr) (r : rel) : expr :=
  match r with
  | REq i => nth i eqs (Num 0)
  | RLeaf i => nth i leaf (Num 0)
  | RSqrt i => match nth i atoms (Num 0) with Fun Sqrt p => Sub (Mul (Fun Sqrt p) (Fun Sqrt p)) p | _ => Num
    0 end
  | RTrig a => Sub (Add (Mul (Fun Sin a) (Fun Sin a)) (Mul (Fun Cos a) (Fun Cos a))) one
  end.
Fixpoint comb (leaf : list expr) (c : combo) : expr :=
  match c with [] => Num 0 | (q, r) :: c' => Add (Mul q (rel_expr leaf r)) (comb leaf c') end.

Lemma nth_zero x (l : list expr) i : (forall q, In q l -> eval x q = 0) -> eval x (nth i l (Num 0)) = 0.
Proof.
  intros H. destruct (Nat.lt_ge_cases i (length l)) as [L|G]; [apply H, nth_In, L|].
  rewrite nth_overflow by exact G. simpl. apply q2r_0.
Qed.
Lemma nth_fine x i : (forall a, In a atoms -> fine x a) -> fine x (nth i atoms (Num 0)).
Proof.
  intros H. destruct (Nat.lt_ge_cases i (length atoms)) as [L|G]; [apply H, nth_In, L|].
  rewrite nth_overflow by exact G. exact I.
Qed.
Lemma comb_zero x leaf c : (forall q, In q eqs -> eval x q = 0) -> (forall g, In g leaf -> eval x g = 0) ->
  (forall a, In a atoms -> fine x a) -> eval x (comb leaf c) = 0.
Proof.
  intros H1 H2 H3. induction c as [|[q r] c IH]; [apply q2r_0|]. cbn [comb eval]. rewrite IH.
  assert (E : eval x (rel_expr leaf r) = 0); [|rewrite E; ring].
  destruct r; cbn [rel_expr].
  - apply nth_zero, H1.
  - apply nth_zero, H2.
  - assert (Fi := nth_fine x i H3). destruct (nth i atoms (Num 0)) as [| | | | |g a]; try apply q2r_0.
    destruct g; try apply q2r_0.
    destruct Fi as [_ Fi]. simpl. rewrite q2r_m1, sqrt_sqrt by lra. ring.
  - simpl. rewrite q2r_m1, q2r_1. assert (S := sin2_cos2 (eval x a)). unfold Rsqr in S. lra.
Qed.

Definition kept (leaf : list expr) (F : expr) (c : combo) : bool :=
  below n F && vanishes (n + m) atoms (Sub (deriv f F) (comb leaf c)).

(* a function that is kept has its first value as long as everything stays fine *)
Lemma kept_ok leaf F c (Y : R -> nat -> R) T : kept leaf F c = true ->
  (forall i, (i < n)%nat -> continuity (fun t => Y t i)) ->
  (forall t, 0 < t < T -> forall i, (i < n)%nat -> derivable_pt_lim (fun s => Y s i) t (eval (Y t) (nth i f
    (Num 0)))) ->
  (forall t, 0 < t < T -> forall q, In q eqs -> eval (Y t) q = 0) ->
  (forall t, 0 < t < T -> forall g, In g leaf -> eval (Y t) g = 0) ->
  (forall t, 0 <= t <= T -> fine (Y t) F /\ forall a, In a atoms -> fine (Y t) a) ->
  0 <= T -> eval (Y T) F = eval (Y 0) F.
Proof.
  unfold kept. intros H HC HD HE HL HF HT. apply andb_true_iff in H. destruct H as [HB HV].
  apply (constant (fun t => eval (Y t) F) (fun t => eval (Y t) (deriv f F))); [..|exact HT].
  - intros t Ht. apply (eval_cont n); [intros i Hi; apply HC, Hi|exact HB|exact (proj1 (HF t Ht))].
  - intros t Ht. destruct (HF t) as [F1 F2]; [lra|]. apply (deriv_ok n); [intros i Hi; apply HD;
    assumption|exact HB|exact F1].
  - intros t Ht. destruct (HF t) as [F1 F2]; [lra|]. apply (vanishes_ok _ _ (Y t) _ F2) in HV.
    unfold Sub, Neg in HV. cbn [eval] in HV.
    unfold mone in HV. cbn [eval] in HV. rewrite q2r_m1 in HV.
    rewrite (comb_zero (Y t) leaf c) in HV; [lra|apply HE, Ht|apply HL, Ht|exact F2].
Qed.
End Keep.

Lemma shift_off e x : forall i, shift e (off (vec e) x) i = x i.
Proof. intros. unfold shift, off. ring. Qed.

Lemma all_fine {FF : field} n e (l : list expr) : (forall a, In a l -> exists j, jet_of n e a = Some j) ->
  exists r, 0 < r /\ forall h, S1 n h <= r -> forall a, In a l -> fine (shift e h) a.
Proof.
  induction l as [|a l IH]; intros H; [exists 1; split; [lra|intros h _ a []]|].
  destruct IH as (r & Hr & K); [intros b Hb; apply H; right; exact Hb|].
  destruct (H a) as (j & Hj); [left; reflexivity|]. apply jet_of_ok in Hj.
    destruct Hj as (_ & _ & _ & _ & r' & Hr' & K').
  exists (Rmin r r'). split; [apply Rmin_pos; assumption|]. intros h Hh b [<-|Hb].
  - apply K'. assert (A := Rmin_r r r'). lra.
  - apply K; [assert (A := Rmin_l r r'); lra|exact Hb].
Qed.

(* what is kept, with the combination of relations that shows it, and its multiplier *)
Record func := Func { fe : expr; fcomb : combo; fmul : expr }.
