(* Expressions with rational numbers, their values in the reals, and where each part of one is
   differentiable. *)
From Coq Require Import Reals QArith Qreals Qreduction List Lra Lia Bool PeanoNat ZArith Classical_Prop.
From Geoctrl Require Import OneDimension Orders.
Import ListNotations.
Local Open Scope R_scope.

Inductive fn := Sin | Cos | Sqrt | Quad (a b : Q).
Inductive expr :=
| Num (q : Q) | Var (i : nat) | Add (a b : expr) | Mul (a b : expr) | Inv (a : expr) | Fun (f : fn) (a :
  expr).

Definition q2r (q : Q) : R := match Qden q with xH => IZR (Qnum q) | d => IZR (Qnum q) / IZR (Zpos d) end.
(* Quad a b: the integral of dt / (a t^2 + b) from 0 to s, for positive a and b *)
Definition fnR (f : fn) : R -> R :=
  match f with
  | Sin => sin | Cos => cos | Sqrt => sqrt
  | Quad a b => fun s => atan (s * sqrt (q2r a / q2r b)) / sqrt (q2r a * q2r b)
  end.
Lemma q2r_Q2R q : q2r q = Q2R q.
Proof. unfold q2r, Q2R. destruct q as [a [d|d|]]; simpl; [reflexivity|reflexivity|field]. Qed.

Fixpoint eval (x : nat -> R) (e : expr) : R :=
  match e with
  | Num q => q2r q | Var i => x i
  | Add a b => eval x a + eval x b | Mul a b => eval x a * eval x b
  | Inv a => / eval x a | Fun f a => fnR f (eval x a)
  end.

(* where every part is differentiable *)
Fixpoint fine (x : nat -> R) (e : expr) : Prop :=
  match e with
  | Num _ | Var _ => True
  | Add a b | Mul a b => fine x a /\ fine x b
  | Inv a => fine x a /\ eval x a <> 0
  | Fun Sqrt a => fine x a /\ 0 < eval x a
  | Fun (Quad p q) a => fine x a /\ 0 < q2r p /\ 0 < q2r q
  | Fun _ a => fine x a
  end.

Fixpoint below (n : nat) (e : expr) : bool :=
  match e with
  | Num _ => true | Var i => Nat.ltb i n
  | Add a b | Mul a b => below n a && below n b
  | Inv a | Fun _ a => below n a
  end.

Lemma eval_ext n x y e : (forall i, (i < n)%nat -> x i = y i) -> below n e = true -> eval x e = eval y e.
Proof.
  intros H. induction e; simpl; intros B; try reflexivity.
  - apply H. apply Nat.ltb_lt; exact B.
  - apply andb_true_iff in B. rewrite IHe1, IHe2; tauto.
  - apply andb_true_iff in B. rewrite IHe1, IHe2; tauto.
  - rewrite IHe; tauto.
  - rewrite IHe; tauto.
Qed.
Lemma fine_ext n x y e : (forall i, (i < n)%nat -> x i = y i) -> below n e = true -> fine x e -> fine y e.
Proof.
  intros H. induction e; simpl; intros B; try tauto.
  - apply andb_true_iff in B. tauto.
  - apply andb_true_iff in B. tauto.
  - rewrite (eval_ext n x y e H B). tauto.
  - rewrite (eval_ext n x y e H B). destruct f; tauto.
Qed.

Lemma q2r_0 : q2r 0 = 0. Proof. unfold q2r; simpl; lra. Qed.
Lemma q2r_1 : q2r 1 = 1. Proof. unfold q2r; simpl; lra. Qed.
Lemma q2r_m1 : q2r (-1#1) = -1. Proof. unfold q2r; simpl; lra. Qed.
Lemma q2r_half : q2r (1#2) = / 2. Proof. unfold q2r; simpl; lra. Qed.
