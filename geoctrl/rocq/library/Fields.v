(* Numbers with square roots, in which sums, products, inverses, roots and signs are computed: the
   rationals, and towers a + b r over them, where r is the root of a number from below. *)
From Coq Require Import Reals QArith Qreals Qreduction List Lra Lia Bool PeanoNat ZArith Classical_Prop.
From Geoctrl Require Import OneDimension Orders Expressions Derivative.
Import ListNotations.
Local Open Scope R_scope.

(* ---- rational numbers ---- *)
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

Lemma q2r_times a b : q2r (a * b) = q2r a * q2r b. Proof. rewrite !q2r_Q2R. apply Q2R_mult. Qed.
Lemma q2r_plus a b : q2r (a + b) = q2r a + q2r b. Proof. rewrite !q2r_Q2R. apply Q2R_plus. Qed.
Lemma q2r_opp a : q2r (- a) = - q2r a. Proof. rewrite !q2r_Q2R. apply Q2R_opp. Qed.
Lemma q2r_red a : q2r (Qred a) = q2r a. Proof. apply q2r_eq, Qred_correct. Qed.
Lemma q2r_int z : q2r (z # 1) = IZR z. Proof. reflexivity. Qed.
Definition qroot (q : Q) : Q := let r := Qred q in Z.sqrt (Qnum r) # Z.to_pos (Z.sqrt (Zpos (Qden r))).

(* ---- what is computed with, and what that means in the reals ---- *)
Record field := Field {
  carrier :> Type;
  of_q : Q -> carrier;
  kadd : carrier -> carrier -> carrier;
  kmul : carrier -> carrier -> carrier;
  kinv : carrier -> option carrier;
  kroot : carrier -> option carrier;
  is_zero : carrier -> bool;
  nonneg : carrier -> bool;
  val : carrier -> R;
  val_q : forall q, val (of_q q) = q2r q;
  val_add : forall a b, val (kadd a b) = val a + val b;
  val_mul : forall a b, val (kmul a b) = val a * val b;
  val_inv : forall a b, kinv a = Some b -> val a * val b = 1;
  val_root : forall a b, kroot a = Some b -> 0 < val b /\ val b * val b = val a;
  val_zero : forall a, is_zero a = true -> val a = 0;
  val_sign : forall a, if nonneg a then 0 <= val a else val a <= 0 }.
Existing Class field.
Arguments of_q {f}. Arguments kadd {f}. Arguments kmul {f}. Arguments kinv {f}. Arguments kroot {f}.
Arguments is_zero {f}. Arguments nonneg {f}. Arguments val {f}.

Definition q_inv (a : Q) : option Q := if Qeq_bool a 0 then None else Some (Qred (/ a)).
Definition q_root (a : Q) : option Q :=
  let s := qroot a in if Qeq_bool (s * s) a && negb (Qle_bool s 0) then Some s else None.
Definition rationals : field.
Proof.
  refine (Field Q (fun q => q) qadd qmul q_inv q_root (fun q => Qeq_bool q 0) (Qle_bool 0) q2r _ _ _ _ _ _ _).
  - reflexivity.
  - exact q2r_add.
  - exact q2r_mul.
  - intros a b. unfold q_inv. destruct (Qeq_bool a 0) eqn:Z; [discriminate|]. intros H; injection H as <-.
    assert (N := q2r_nonzero _ Z). rewrite q2r_red, q2r_inv by (apply Qeq_bool_neq, Z). field. exact N.
  - intros a b. unfold q_root. destruct (Qeq_bool (qroot a * qroot a) a) eqn:E; [|discriminate].
    destruct (Qle_bool (qroot a) 0) eqn:P; [discriminate|]. intros H; injection H as <-.
    split; [apply q2r_pos, P|]. rewrite <- q2r_times. apply q2r_eq, Qeq_bool_eq, E.
  - exact q2r_zero.
  - intros a. destruct (Qle_bool 0 a) eqn:E.
    + apply q2r_le in E. rewrite q2r_0 in E. exact E.
    + destruct (Rlt_le_dec 0 (q2r a)) as [L|]; [exfalso|assumption].
      rewrite <- q2r_0, !q2r_Q2R in L. apply Rlt_le, Rle_Qle, Qle_bool_iff in L. congruence.
Defined.

Definition kneg {F : field} (a : F) : F := kmul (of_q (-1#1)) a.
Lemma val_neg (F : field) (a : F) : val (kneg a) = - val a.
Proof. unfold kneg. rewrite val_mul, val_q, q2r_m1. ring. Qed.
Lemma inv_nonzero (F : field) (a b : F) : kinv a = Some b -> val a <> 0 /\ val b = / val a.
Proof.
  intros H. apply val_inv in H. assert (N : val a <> 0) by (intros Z; rewrite Z in H; lra). split; [exact N|].
  apply Rmult_eq_reg_l with (val a); [|exact N]. rewrite H. field. exact N.
Qed.

(* ---- one root more ---- *)
Section Extension.
Variables (F : field) (d : F).
Hypothesis positive : 0 <= val d.
Let r := sqrt (val d).
Let rr : r * r = val d.
Proof. apply sqrt_sqrt, positive. Qed.
Let r0 : 0 <= r.
Proof. apply sqrt_pos. Qed.
Definition pair_val (x : F * F) : R := val (fst x) + val (snd x) * r.
Definition pair_add (x y : F * F) : F * F := (kadd (fst x) (fst y), kadd (snd x) (snd y)).
Definition pair_mul (x y : F * F) : F * F :=
  if is_zero (snd x) then if is_zero (snd y) then (kmul (fst x) (fst y), of_q 0)
    else (kmul (fst x) (fst y), kmul (fst x) (snd y))
  else if is_zero (snd y) then (kmul (fst x) (fst y), kmul (snd x) (fst y))
  else (kadd (kmul (fst x) (fst y)) (kmul (kmul (snd x) (snd y)) d),
        kadd (kmul (fst x) (snd y)) (kmul (snd x) (fst y))).
Definition norm_of (x : F * F) : F :=
  kadd (kmul (fst x) (fst x)) (kneg (kmul (kmul (snd x) (snd x)) d)).
(* norms double the digits: numbers from below, and multiples of the root, do without *)
Definition pair_inv (x : F * F) : option (F * F) :=
  if is_zero (snd x) then match kinv (fst x) with Some i => Some (i, of_q 0) | None => None end
  else if is_zero (fst x) then match kinv (kmul (snd x) d) with Some i => Some (of_q 0, i) | None => None end
  else match kinv (norm_of x) with
       | Some i => Some (kmul (fst x) i, kneg (kmul (snd x) i))
       | None => None
       end.
Definition pair_nonneg (x : F * F) : bool :=
  if is_zero (snd x) then nonneg (fst x) else if is_zero (fst x) then nonneg (snd x) else
  match nonneg (fst x), nonneg (snd x) with
  | true, true => true
  | false, false => false
  | true, false => nonneg (norm_of x)
  | false, true => nonneg (kneg (norm_of x))
  end.
Definition checked_root (x y : F * F) : option (F * F) :=
  let z := pair_add (pair_mul y y) (kneg (fst x), kneg (snd x)) in
  if is_zero (fst z) && is_zero (snd z) && pair_nonneg y then
    match pair_inv y with Some _ => Some y | None => None end
  else None.
(* sqrt (a + b r) = u + b / (2 u) r with 2 u^2 = a + n or a - n, n^2 = a^2 - b^2 r^2 *)
Definition half_root (x : F * F) (n : F) : option (F * F) :=
  match kroot (kmul (of_q (1#2)) (kadd (fst x) n)) with
  | Some u => match kinv (kmul (of_q 2) u) with Some i => checked_root x (u,
    kmul (snd x) i) | None => None end
  | None => None
  end.
Definition pair_root (x : F * F) : option (F * F) :=
  if is_zero (snd x) then
    if is_zero (kadd (fst x) (kneg d)) then checked_root x (of_q 0, of_q 1) else
    match kroot (fst x) with
    | Some s => checked_root x (s, of_q 0)
    | None => match kinv d with
              | Some i => match kroot (kmul (fst x) i) with Some s => checked_root x (of_q 0,
                s) | None => None end
              | None => None
              end
    end
  else match kroot (norm_of x) with
       | Some n => match half_root x n with Some y => Some y | None => half_root x (kneg n) end
       | None => None
       end.
Lemma pair_mul_ok x y : pair_val (pair_mul x y) = pair_val x * pair_val y.
Proof.
  destruct x as [a b], y as [c e]. unfold pair_val, pair_mul. cbn [fst snd].
  destruct (is_zero b) eqn:B; [apply val_zero in B|]; (destruct (is_zero e) eqn:E; [apply val_zero in E|]);
    cbn [fst snd]; rewrite ?val_add, ?val_mul, ?val_q, ?q2r_0; rewrite ?B, ?E; try ring.
  rewrite <- rr. ring.
Qed.
Lemma norm_ok x : val (norm_of x) = val (fst x) * val (fst x) - val (snd x) * val (snd x) * (r * r).
Proof. unfold norm_of. rewrite val_add, val_neg, !val_mul, rr. ring. Qed.
Lemma pair_inv_ok x y : pair_inv x = Some y -> pair_val x * pair_val y = 1.
Proof.
  destruct x as [a b]. unfold pair_inv, pair_val. cbn [fst snd].
  destruct (is_zero b) eqn:B; [apply val_zero in B|destruct (is_zero a) eqn:A; [apply val_zero in A|]].
  - destruct (kinv a) as [i|] eqn:E; [|discriminate]. intros H; injection H as <-. apply val_inv in E.
    cbn [fst snd]. rewrite B, val_q, q2r_0, <- E. ring.
  - destruct (kinv (kmul b d)) as [i|] eqn:E; [|discriminate]. intros H; injection H as <-.
    apply val_inv in E. rewrite val_mul, <- rr in E. cbn [fst snd]. rewrite A, val_q, q2r_0, <- E. ring.
  - destruct (kinv (norm_of (a, b))) as [i|] eqn:E; [|discriminate]. intros H; injection H as <-.
    apply val_inv in E. rewrite norm_ok in E. cbn [fst snd] in *. rewrite val_neg, !val_mul, <- E. ring.
Qed.
Lemma pair_sign_ok x : if pair_nonneg x then 0 <= pair_val x else pair_val x <= 0.
Proof.
  destruct x as [a b]. unfold pair_nonneg, pair_val. cbn [fst snd].
  assert (A := val_sign F a). assert (B := val_sign F b).
  destruct (is_zero b) eqn:Zb; [apply val_zero in Zb; rewrite Zb, Rmult_0_l, Rplus_0_r; exact A|].
  destruct (is_zero a) eqn:Za.
  { apply val_zero in Za. rewrite Za, Rplus_0_l.
    destruct (nonneg b); [apply Rmult_le_pos; assumption|].
    assert (0 <= - val b * r) by (apply Rmult_le_pos; lra). lra. }
  assert (N := val_sign F (norm_of (a, b))). assert (M := val_sign F (kneg (norm_of (a, b)))).
  rewrite val_neg in M. rewrite norm_ok in N, M. cbn [fst snd] in N, M.
  set (u := val a) in *. set (v := val b) in *.
  destruct (nonneg a), (nonneg b).
  - assert (0 <= v * r) by (apply Rmult_le_pos; assumption). lra.
  - assert (W : 0 <= - v * r) by (apply Rmult_le_pos; lra).
    destruct (nonneg (norm_of (a, b))).
    + destruct (Rle_lt_dec (- v * r) u); [lra|exfalso].
      assert (u * u <= - v * r * (- v * r)) by (apply Rmult_le_compat; lra).
      assert (u * u < - v * r * (- v * r)) by (apply Rmult_le_0_lt_compat; lra). lra.
    + destruct (Rle_lt_dec u (- v * r)); [lra|exfalso].
      assert (- v * r * (- v * r) < u * u) by (apply Rmult_le_0_lt_compat; lra). lra.
  - assert (W : 0 <= v * r) by (apply Rmult_le_pos; lra).
    destruct (nonneg (kneg (norm_of (a, b)))).
    + destruct (Rle_lt_dec (- u) (v * r)); [lra|exfalso].
      assert (v * r * (v * r) < - u * - u) by (apply Rmult_le_0_lt_compat; lra). lra.
    + destruct (Rle_lt_dec (v * r) (- u)); [lra|exfalso].
      assert (- u * - u < v * r * (v * r)) by (apply Rmult_le_0_lt_compat; lra). lra.
  - assert (0 <= - v * r) by (apply Rmult_le_pos; lra). lra.
Qed.
Lemma checked_root_ok x y z : checked_root x y = Some z -> 0 < pair_val z /\
  pair_val z * pair_val z = pair_val x.
Proof.
  unfold checked_root. set (w := pair_add (pair_mul y y) (kneg (fst x), kneg (snd x))).
  destruct (is_zero (fst w)) eqn:A; [|discriminate]. destruct (is_zero (snd w)) eqn:B; [|discriminate].
  destruct (pair_nonneg y) eqn:P; [|discriminate]. cbn [andb].
    destruct (pair_inv y) as [i|] eqn:I; [|discriminate].
  intros H; injection H as <-. apply val_zero in A, B. apply pair_inv_ok in I.
    assert (S := pair_sign_ok y). rewrite P in S.
  split.
  - destruct S as [S|S]; [exact S|]. rewrite <- S in I. lra.
  - rewrite <- pair_mul_ok. unfold w, pair_add in A, B. cbn [fst snd] in A, B.
    rewrite val_add, val_neg in A, B.
    unfold pair_val. replace (val (fst (pair_mul y y))) with (val (fst x)) by lra.
    replace (val (snd (pair_mul y y))) with (val (snd x)) by lra. reflexivity.
Qed.
Lemma half_root_ok x n z : half_root x n = Some z -> 0 < pair_val z /\ pair_val z * pair_val z = pair_val x.
Proof.
  unfold half_root. destruct (kroot _); [|discriminate]. destruct (kinv _); [|discriminate].
    apply checked_root_ok.
Qed.
Lemma pair_root_ok x y : pair_root x = Some y -> 0 < pair_val y /\ pair_val y * pair_val y = pair_val x.
Proof.
  unfold pair_root. destruct (is_zero (snd x)).
  - destruct (is_zero (kadd (fst x) (kneg d))); [apply checked_root_ok|].
    destruct (kroot (fst x)); [apply checked_root_ok|]. destruct (kinv d); [|discriminate].
    destruct (kroot _); [apply checked_root_ok|discriminate].
  - destruct (kroot (norm_of x)); [|discriminate]. destruct (half_root x c) eqn:E.
    + intros H; injection H as <-. apply (half_root_ok _ _ _ E).
    + apply half_root_ok.
Qed.
Definition extension : field.
Proof.
  refine (Field (F * F) (fun q => (of_q q, of_q 0)) pair_add pair_mul pair_inv pair_root
    (fun x => is_zero (fst x) && is_zero (snd x)) pair_nonneg pair_val _ _ _ _ _ _ _).
  - intros q. unfold pair_val. cbn [fst snd]. rewrite !val_q, q2r_0. ring.
  - intros a b. unfold pair_val, pair_add. cbn [fst snd]. rewrite !val_add. ring.
  - exact pair_mul_ok.
  - exact pair_inv_ok.
  - exact pair_root_ok.
  - intros a H. apply andb_true_iff in H. destruct H as [A B]. apply val_zero in A, B. unfold pair_val.
    rewrite A, B. ring.
  - exact pair_sign_ok.
Defined.
End Extension.

Lemma nonneg_val (F : field) (d : F) : nonneg d = true -> 0 <= val d.
Proof. intros H. assert (S := val_sign F d). rewrite H in S. exact S. Qed.
Definition extend (F : field) (d : F) : field :=
  match bool_dec (nonneg d) true with left H => extension F d (nonneg_val F d H) | right _ => F end.

(* ---- numbers as expressions ---- *)
Fixpoint value (F : field) (e : expr) : option F :=
  match e with
  | Num q => Some (of_q q)
  | Var _ => None
  | Add a b => match value F a, value F b with Some u, Some v => Some (kadd u v) | _, _ => None end
  | Mul a b => match value F a, value F b with Some u, Some v => Some (kmul u v) | _, _ => None end
  | Inv a => match value F a with Some u => kinv u | None => None end
  | Fun Sqrt a => match value F a with Some u => kroot u | None => None end
  | Fun _ _ => None
  end.
Lemma value_ok F x e : forall u, value F e = Some u -> eval x e = val u.
Proof.
  induction e; cbn [value]; intros u H; try discriminate.
  - injection H as <-. rewrite val_q. reflexivity.
  - destruct (value F e1), (value F e2); try discriminate. injection H as <-. rewrite val_add. simpl.
    rewrite (IHe1 _ eq_refl), (IHe2 _ eq_refl). reflexivity.
  - destruct (value F e1), (value F e2); try discriminate. injection H as <-. rewrite val_mul. simpl.
    rewrite (IHe1 _ eq_refl), (IHe2 _ eq_refl). reflexivity.
  - destruct (value F e); [|discriminate]. apply inv_nonzero in H. simpl. rewrite (IHe _ eq_refl).
    symmetry. apply H.
  - destruct f; try discriminate. destruct (value F e); [|discriminate]. apply val_root in H.
    destruct H as [P H].
    simpl. rewrite (IHe _ eq_refl), <- H. apply sqrt_square. lra.
Qed.
(* the field of the roots of some numbers, each of them in the field before *)
Fixpoint field_of (F : field) (radicands : list expr) : field :=
  match radicands with
  | [] => F
  | a :: l => field_of (match value F a with Some d => extend F d | None => F end) l
  end.
