(* A normal form of expressions: fractions of polynomials in the variables and in the functions that occur,
   over products of named denominators, none of which is zero. What has the numerator zero vanishes
   everywhere. *)
From Coq Require Import Reals QArith Qreals Qreduction List Lra Lia Bool PeanoNat ZArith Classical_Prop.
From Geoctrl Require Import OneDimension Orders Expressions Derivative Fields Polynomials.
Import ListNotations.
Local Open Scope R_scope.

(* ---- functions stand for variables of their own ---- *)
Definition fn_eqb (f g : fn) : bool :=
  match f, g with
  | Sin, Sin | Cos, Cos | Sqrt, Sqrt => true
  | Quad a b, Quad c d => Qeq_bool a c && Qeq_bool b d
  | _, _ => false
  end.
Fixpoint expr_eqb (a b : expr) : bool :=
  match a, b with
  | Num p, Num q => Qeq_bool p q
  | Var i, Var j => Nat.eqb i j
  | Add a1 a2, Add b1 b2 | Mul a1 a2, Mul b1 b2 => expr_eqb a1 b1 && expr_eqb a2 b2
  | Inv a, Inv b => expr_eqb a b
  | Fun f a, Fun g b => fn_eqb f g && expr_eqb a b
  | _, _ => false
  end.
Lemma expr_eqb_ok x a : forall b, expr_eqb a b = true -> eval x a = eval x b.
Proof.
  induction a; destruct b; simpl; try discriminate; intros H; try (apply andb_true_iff in H; destruct H).
  - apply q2r_eq, Qeq_bool_eq, H.
  - apply Nat.eqb_eq in H. congruence.
  - f_equal; auto.
  - f_equal; auto.
  - f_equal; auto.
  - rewrite (IHa b) by assumption. destruct f, f0; simpl in *; try discriminate; try reflexivity.
    apply andb_true_iff in H. destruct H as [H1 H2]. apply Qeq_bool_eq, q2r_eq in H1;
      apply Qeq_bool_eq, q2r_eq in H2; rewrite H1, H2; reflexivity.
Qed.

Fixpoint index (a : expr) (l : list expr) : option nat :=
  match l with [] => None | b :: l' => if expr_eqb a b then Some O else option_map S (index a l') end.
Lemma index_ok x a l : forall k, index a l = Some k -> eval x a = eval x (nth k l (Num 0)).
Proof.
  induction l; simpl; [discriminate|]. intros k. destruct (expr_eqb a a0) eqn:E.
  - intros K; injection K as <-. apply expr_eqb_ok, E.
  - destruct (index a l) eqn:F; simpl; [|discriminate]. intros K; injection K as <-. apply IHl. reflexivity.
Qed.

(* the coefficients of identities are rational *)
Local Notation poly := (poly rationals).
Local Notation pvar := (@pvar rationals).
Fixpoint poly_eqb (p q : poly) : bool :=
  match p, q with
  | [], [] => true
  | (m, a) :: p', (k, b) :: q' => match mcmp m k with Eq => Qeq_bool a b && poly_eqb p' q' | _ => false end
  | _, _ => false
  end.
Lemma poly_eqb_ok x p : forall q, poly_eqb p q = true -> peval x p = peval x q.
Proof.
  induction p as [|[m a] p IH]; destruct q as [|[k b] q]; simpl; try discriminate; [reflexivity|].
  destruct (mcmp m k) eqn:E; try discriminate. intros H. apply andb_true_iff in H. destruct H as [H1 H2].
  apply mcmp_eq in E. subst k. rewrite (IH q H2), (q2r_eq _ _ (Qeq_bool_eq _ _ H1)). reflexivity.
Qed.

(* exponents that are missing in b of those in a *)
Fixpoint msub (a b : mono) : mono :=
  match a, b with [], _ => [] | _, [] => a | x :: a', y :: b' => (x - y)%nat :: msub a' b' end.
Lemma common x a : forall k b, mev k a x * mev k (msub b a) x = mev k b x * mev k (msub a b) x.
Proof.
  induction a as [|u a IH]; intros k [|v b]; simpl; try ring.
  replace (x k ^ u * mev (S k) a x * (x k ^ (v - u) * mev (S k) (msub b a) x))
    with ((x k ^ u * x k ^ (v - u)) * (mev (S k) a x * mev (S k) (msub b a) x)) by ring.
  replace (x k ^ v * mev (S k) b x * (x k ^ (u - v) * mev (S k) (msub a b) x))
    with ((x k ^ v * x k ^ (u - v)) * (mev (S k) b x * mev (S k) (msub a b) x)) by ring.
  rewrite <- !pow_add, IH. replace (u + (v - u))%nat with (v + (u - v))%nat by lia. reflexivity.
Qed.
Lemma mev_nonzero x m : (forall i, x i <> 0) -> forall k, mev k m x <> 0.
Proof.
  intros H. induction m as [|e m IH]; intros k; simpl; [lra|].
    apply Rmult_integral_contrapositive_currified; [|apply IH].
  apply pow_nonzero, H.
Qed.

Definition pone : poly := [([], (1%Q : rationals))].
Lemma pone_ok x : peval x pone = 1.
Proof. unfold pone. simpl. rewrite q2r_1. ring. Qed.
Fixpoint ppow (p : poly) (k : nat) : poly := match k with O => pone | S O => p | S k' => pmul p (ppow p k')
  end.
Lemma ppow_ok x p k : peval x (ppow p k) = peval x p ^ k.
Proof.
  induction k as [|k IH]; [apply pone_ok|]. destruct k; [simpl; ring|].
  change (ppow p (S (S k))) with (pmul p (ppow p (S k))). rewrite pmul_ok, IH. reflexivity.
Qed.

Section Norm.
Variables (base : nat) (atoms : list expr).
Definition ext (x : nat -> R) (i : nat) : R :=
  if Nat.ltb i base then x i else eval x (nth (i - base) atoms (Num 0)).
Definition atom (e : expr) : option poly := option_map (fun k => pvar (base + k)) (index e atoms).
Lemma atom_ok x e p : atom e = Some p -> eval x e = peval (ext x) p.
Proof.
  unfold atom. destruct (index e atoms) eqn:E; simpl; [|discriminate]. intros K; injection K as <-.
  rewrite pvar_ok. unfold ext. replace (Nat.ltb (base + n) base) with false.
  - replace (base + n - base)%nat with n by lia. apply index_ok, E.
  - symmetry. apply Nat.ltb_ge. lia.
Qed.

(* a numerator, and exponents of the denominators in a table *)
Definition fraction := (poly * mono)%type.
Section Table.
Variable table : list poly.
Definition at_table (x : nat -> R) (i : nat) : R := peval (ext x) (nth i table pone).
Definition feval (x : nat -> R) (f : fraction) : R := peval (ext x) (fst f) * / mev 0 (snd f) (at_table x).
Fixpoint expand (k : nat) (m : mono) : poly :=
  match m with
  | [] => pone
  | O :: m' => expand (S k) m'
  | e :: m' => pmul (ppow (nth k table pone) e) (expand (S k) m')
  end.
Lemma expand_ok x m : forall k, peval (ext x) (expand k m) = mev k m (at_table x).
Proof.
  induction m as [|[|e] m IH]; intros k; [apply pone_ok|simpl; rewrite IH; ring|].
  change (expand k (S e :: m)) with (pmul (ppow (nth k table pone) (S e)) (expand (S k) m)).
  rewrite pmul_ok, ppow_ok, IH. reflexivity.
Qed.
Definition lift (m : mono) (p : poly) : poly := if forallb (Nat.eqb 0) m then p else pmul (expand 0 m) p.
Lemma lift_ok x m p : peval (ext x) (lift m p) = mev 0 m (at_table x) * peval (ext x) p.
Proof.
  unfold lift. destruct (forallb (Nat.eqb 0) m) eqn:E; [|rewrite pmul_ok, expand_ok; reflexivity].
  replace (mev 0 m (at_table x)) with 1; [ring|]. generalize 0%nat.
    induction m as [|u m IH]; intros k; [reflexivity|].
  simpl in E. destruct u; [|discriminate]. simpl. rewrite <- (IH E). ring.
Qed.
Fixpoint place (p : poly) (l : list poly) : option nat :=
  match l with [] => None | q :: l' => if poly_eqb p q then Some O else option_map S (place p l') end.
Lemma place_ok x p : forall l i, place p l = Some i -> peval x p = peval x (nth i l pone).
Proof.
  induction l as [|q l IH]; simpl; [discriminate|]. intros i. destruct (poly_eqb p q) eqn:E.
  - intros K; injection K as <-. apply poly_eqb_ok, E.
  - destruct (place p l); simpl; [|discriminate]. intros K; injection K as <-. apply IH. reflexivity.
Qed.
Definition fadd (f g : fraction) : fraction :=
  match fst f, fst g with
  | [], _ => g
  | _, [] => f
  | _, _ => let c := msub (snd g) (snd f) in
      (padd (lift c (fst f)) (lift (msub (snd f) (snd g)) (fst g)), mmul (snd f) c)
  end.
Definition fmult (f g : fraction) : fraction :=
  match pmul (fst f) (fst g) with [] => ([], []) | p => (p, mmul (snd f) (snd g)) end.
Definition finv (f : fraction) : option fraction :=
  match fst f with
  | [([], q)] => if Qeq_bool q 0 then None else Some (pscal (Qred (/ q) : rationals) (expand 0 (snd f)), [])
  | p => option_map (fun j => (expand 0 (snd f), repeat O j ++ [1%nat])) (place p table)
  end.
Fixpoint frac (e : expr) : option fraction :=
  match e with
  | Num q => Some (pconst (q : rationals), [])
  | Var i => if Nat.ltb i base then Some (pvar i, []) else None
  | Add a b => match frac a, frac b with Some f, Some g => Some (fadd f g) | _, _ => None end
  | Mul a b => match frac a, frac b with Some f, Some g => Some (fmult f g) | _, _ => None end
  | Inv a => match frac a with Some f => finv f | None => None end
  | Fun _ _ => option_map (fun p => (p, [])) (atom e)
  end.

Variable x : nat -> R.
Hypothesis defined : forall i, at_table x i <> 0.
Lemma under m : mev 0 m (at_table x) <> 0.
Proof. apply mev_nonzero, defined. Qed.
Lemma fadd_ok f g : feval x (fadd f g) = feval x f + feval x g.
Proof.
  destruct f as [p m], g as [q k]. unfold fadd, feval. cbn [fst snd].
  assert (General : peval (ext x) (padd (lift (msub k m) p) (lift (msub m k) q)) * / mev 0 (mmul m (msub k
    m)) (at_table x)
    = peval (ext x) p * / mev 0 m (at_table x) + peval (ext x) q * / mev 0 k (at_table x)).
  { rewrite padd_ok, !lift_ok, mmul_ok. assert (E := common (at_table x) m 0 k).
    assert (N1 := under m). assert (N2 := under k). assert (N3 := under (msub k m)).
      assert (N4 := under (msub m k)).
    set (a := mev 0 m (at_table x)) in *. set (b := mev 0 k (at_table x)) in *.
    set (u := mev 0 (msub k m) (at_table x)) in *. set (v := mev 0 (msub m k) (at_table x)) in *.
    rewrite Rmult_plus_distr_r. f_equal; [field; split; assumption|]. rewrite E. field. split; assumption. }
  destruct p; [simpl; ring|]. destruct q; [simpl; ring|]. exact General.
Qed.
Lemma fmult_ok f g : feval x (fmult f g) = feval x f * feval x g.
Proof.
  destruct f as [p m], g as [q k]. unfold fmult, feval. cbn [fst snd]. assert (E := pmul_ok (ext x) p q).
  assert (N1 := under m). assert (N2 := under k).
  assert (General : peval (ext x) (pmul p q) * / mev 0 (mmul m k) (at_table x)
    = peval (ext x) p * / mev 0 m (at_table x) * (peval (ext x) q * / mev 0 k (at_table x))).
  { rewrite mmul_ok, E. field. split; assumption. }
  rewrite <- General. destruct (pmul p q); [simpl; ring|reflexivity].
Qed.
Lemma finv_ok f g : finv f = Some g -> feval x g = / feval x f.
Proof.
  destruct f as [p m]. unfold finv, feval. cbn [fst snd]. assert (N := under m).
  assert (Named : option_map (fun j => (expand 0 m, repeat O j ++ [1%nat])) (place p table) = Some g ->
    peval (ext x) (fst g) * / mev 0 (snd g) (at_table x) = / (peval (ext x) p * / mev 0 m (at_table x))).
  { destruct (place p table) as [j|] eqn:E; simpl; [|discriminate]. intros K; injection K as <-.
    cbn [fst snd].
    rewrite expand_ok, (pvar_mev (at_table x) j 0), Nat.add_0_l.
    assert (P : at_table x j = peval (ext x) p) by (unfold at_table; symmetry; apply place_ok, E).
    assert (D := defined j). rewrite P in *. field. split; assumption. }
  destruct p as [|[[|e k] q] p]; try exact Named. destruct p; [|exact Named].
  destruct (Qeq_bool q 0) eqn:Z; [discriminate|]. assert (Hq := q2r_nonzero _ Z).
    intros K; injection K as <-. cbn [fst snd].
  rewrite pscal_ok, expand_ok. simpl.
  replace (q2r (Qred (/ q))) with (/ q2r q) by (rewrite q2r_red, q2r_inv;
    [reflexivity|apply Qeq_bool_neq, Z]).
  field. split; assumption.
Qed.
Lemma frac_ok e : forall f, frac e = Some f -> eval x e = feval x f.
Proof.
  induction e; cbn [frac]; intros g H.
  - injection H as <-. unfold feval. cbn [fst snd]. rewrite pconst_ok. simpl. field.
  - destruct (Nat.ltb i base) eqn:E; [|discriminate]. injection H as <-. unfold feval. cbn [fst snd].
    rewrite pvar_ok. unfold ext. rewrite E. simpl. field.
  - destruct (frac e1), (frac e2); try discriminate. injection H as <-. rewrite fadd_ok. simpl.
    rewrite <- IHe1, <- IHe2; reflexivity.
  - destruct (frac e1), (frac e2); try discriminate. injection H as <-. rewrite fmult_ok. simpl.
    rewrite <- IHe1, <- IHe2; reflexivity.
  - destruct (frac e) as [f|]; [|discriminate]. rewrite (finv_ok _ _ H). simpl. rewrite (IHe f); reflexivity.
  - destruct (atom (Fun f e)) as [p|] eqn:E; [|discriminate]. simpl in H. injection H as <-.
    rewrite (atom_ok _ _ _ E).
    unfold feval. simpl. field.
Qed.
End Table.

(* the table: numerators of what is inverted, none of which is zero where all atoms are defined *)
Fixpoint tabulated (l : list expr) (table : list poly) : list poly :=
  match l with
  | [] => table
  | Inv p :: l' => tabulated l' match frac table p with Some f => table ++ [fst f] | None => table end
  | _ :: l' => tabulated l' table
  end.
Lemma tabulated_ok x l : (forall a, In a l -> fine x a) -> forall table, (forall i,
  at_table table x i <> 0) ->
  forall i, at_table (tabulated l table) x i <> 0.
Proof.
  induction l as [|a l IH]; simpl; intros H table D; [exact D|].
  assert (Hl : forall a, In a l -> fine x a) by (intros; apply H; right; assumption).
  destruct a; try (apply IH; assumption). apply IH; [exact Hl|].
  destruct (frac table a) as [[p m]|] eqn:E; [|exact D].
  assert (V := frac_ok table x D a _ E). destruct (H (Inv a) (or_introl eq_refl)) as [_ N].
  intros i. unfold at_table. destruct (Nat.lt_ge_cases i (length table)) as [L|G].
  - rewrite app_nth1 by exact L. apply D.
  - rewrite app_nth2 by exact G. destruct (i - length table)%nat as [|k]; cbn [nth fst].
    + intros Z. apply N. rewrite V. unfold feval. cbn [fst]. rewrite Z. ring.
    + destruct k; rewrite pone_ok; lra.
Qed.
Definition vanishes (e : expr) : bool :=
  match frac (tabulated atoms []) e with Some f => pnil (fst f) | None => false end.
Lemma vanishes_ok x e : (forall a, In a atoms -> fine x a) -> vanishes e = true -> eval x e = 0.
Proof.
  unfold vanishes. intros H. assert (D := tabulated_ok x atoms H []).
  assert (D' : forall i, at_table (tabulated atoms []) x i <> 0).
  { apply D. intros i. unfold at_table. destruct i; simpl; rewrite q2r_1; lra. }
  destruct (frac (tabulated atoms []) e) as [f|] eqn:E; [|discriminate]. intros K.
  rewrite (frac_ok _ x D' e f E). unfold feval. rewrite (pnil_ok _ _ K). ring.
Qed.
End Norm.
