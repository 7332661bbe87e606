(* Value, linear and quadratic part of an expression at a point with numbers of a field; what is left is of
   third order. *)
From Coq Require Import Reals QArith Qreals Qreduction List Lra Lia Bool PeanoNat ZArith Classical_Prop.
From Geoctrl Require Import OneDimension Orders Expressions Derivative Fields Polynomials Identities Taylor.
Import ListNotations.
Local Open Scope R_scope.

(* ---- jets ---- *)
Section Jets.
Context {FF : field}.
Record jet := J { jc : option FF; jl : poly FF; jq : poly FF }.
Definition constant_jet (j : jet) : bool := pnil (jl j) && pnil (jq j).
Definition compose (c : option FF) (a b : FF) (j : jet) : jet :=
  J c (pscal a (jl j)) (padd (pscal a (jq j)) (pscal b (pmul (jl j) (jl j)))).
Definition inverse_jet (q : FF) (j : jet) : option jet :=
  match kinv q with
  | Some r => Some (compose (Some r) (kneg (kmul r r)) (kmul r (kmul r r)) j)
  | None => None
  end.
Definition root_jet (q : FF) (j : jet) : option jet :=
  match kroot q with
  | Some s => match kinv (kmul (of_q 2) s), kinv (kmul (of_q 8) (kmul s (kmul s s))) with
              | Some a, Some b => Some (compose (Some s) a (kneg b) j)
              | _, _ => None
              end
  | None => None
  end.
Definition quad_jet (x y : Q) (q : FF) (j : jet) : option jet :=
  if negb (Qle_bool x 0) && negb (Qle_bool y 0) then
    match kinv (kadd (kmul (of_q x) (kmul q q)) (of_q y)) with
    | Some d => Some (compose (if is_zero q then Some (of_q 0) else None) d
                        (kmul (kneg (kmul (of_q x) q)) (kmul d d)) j)
    | None => None
    end
  else None.
Definition function_jet (f : fn) (q : FF) (j : jet) : option jet :=
  match f with
  | Sin => if is_zero q then Some (compose (Some (of_q 0)) (of_q 1) (of_q 0) j) else None
  | Cos => if is_zero q then Some (compose (Some (of_q 1)) (of_q 0) (of_q (-1#2)) j) else None
  | Sqrt => root_jet q j
  | Quad x y => quad_jet x y q j
  end.

Fixpoint jet_with (n : nat) (vs : list (option FF)) (E : expr) : option jet :=
  match E with
  | Num q => Some (J (Some (of_q q)) [] [])
  | Var i =>
      if Nat.ltb i n then
        match nth i vs None with Some q => Some (J (Some q) (pvar i) []) | None => None end
      else None
  | Add a b =>
      match jet_with n vs a, jet_with n vs b with
      | Some j, Some k =>
          Some (J match jc j, jc k with Some p, Some q => Some (kadd p q) | _, _ => None end
                  (padd (jl j) (jl k)) (padd (jq j) (jq k)))
      | _, _ => None
      end
  | Mul a b =>
      match jet_with n vs a, jet_with n vs b with
      | Some j, Some k =>
          match jc j, jc k with
          | Some p, Some q =>
              Some (J (Some (kmul p q)) (padd (pscal p (jl k)) (pscal q (jl j)))
                      (padd (padd (pscal p (jq k)) (pscal q (jq j))) (pmul (jl j) (jl k))))
          | Some p, None => if constant_jet j then Some (J None (pscal p (jl k)) (pscal p (jq k))) else None
          | _, _ => None
          end
      | _, _ => None
      end
  | Inv a =>
      match jet_with n vs a with
      | Some j => match jc j with Some q => inverse_jet q j | None => None end
      | None => None
      end
  | Fun f a =>
      match jet_with n vs a with
      | Some j => match jc j with Some q => function_jet f q j | None => None end
      | None => None
      end
  end.
Definition jet_of (n : nat) (e : list expr) (E : expr) : option jet := jet_with n (map (value FF) e) E.

(* the point: its numbers are expressions without variables *)
Definition vec (e : list expr) : nat -> R := fun i => eval (fun _ => 0) (nth i e (Num 0)).
Fixpoint ground (a : expr) : expr :=
  match a with
  | Num q => Num q | Var _ => Num 0 | Add a b => Add (ground a) (ground b) | Mul a b => Mul (ground a)
    (ground b)
  | Inv a => Inv (ground a) | Fun f a => Fun f (ground a)
  end.
Definition coordinate (e : list expr) (i : nat) : expr := ground (nth i e (Num 0)).
Lemma coordinate_ok y e i : eval y (coordinate e i) = vec e i.
Proof.
  unfold coordinate, vec. induction (nth i e (Num 0)); simpl; try congruence. apply q2r_0.
Qed.
Lemma coordinate_below n e i : below n (coordinate e i) = true.
Proof. unfold coordinate. induction (nth i e (Num 0)); simpl; try reflexivity; try (apply andb_true_iff;
  split); assumption. Qed.
Definition shift (e : list expr) (h : nat -> R) : nat -> R := fun i => vec e i + h i.

Definition rest (e : list expr) (E : expr) (j : jet) (h : nat -> R) : R :=
  eval (shift e h) E - eval (vec e) E - peval h (jl j) - peval h (jq j).
Definition jet_ok (n : nat) (e : list expr) (E : expr) (j : jet) : Prop :=
  (forall q, jc j = Some q -> eval (vec e) E = val q) /\
  O_ n 1 (fun h => peval h (jl j)) /\ O_ n 2 (fun h => peval h (jq j)) /\ O_ n 3 (rest e E j) /\
  (exists r, 0 < r /\ forall h, S1 n h <= r -> fine (shift e h) E).

Lemma jet_first n e E j : jet_ok n e E j -> O_ n 1 (fun h => eval (shift e h) E - eval (vec e) E).
Proof.
  intros (_ & L & Q & R & _).
  apply (O_ext n 1 (fun h => peval h (jl j) + peval h (jq j) + rest e E j h)).
  { intros h. unfold rest. ring. }
  apply O_add; [apply O_add|]; [exact L|apply O_weak, Q|apply O_weak, O_weak, R].
Qed.
Lemma both_fine n e (P P' : (nat -> R) -> Prop) :
  (exists r, 0 < r /\ forall h, S1 n h <= r -> P (shift e h)) ->
    (exists r, 0 < r /\ forall h, S1 n h <= r -> P' (shift e h)) ->
  exists r, 0 < r /\ forall h, S1 n h <= r -> P (shift e h) /\ P' (shift e h).
Proof.
  intros (r & Hr & H) (r' & Hr' & H'). exists (Rmin r r'). split; [apply Rmin_pos; assumption|].
  intros h Hh. assert (A := Rmin_l r r'). assert (B := Rmin_r r r'). split; [apply H|apply H']; lra.
Qed.

Lemma O_pscal n k (a : FF) p : O_ n k (fun h => peval h p) -> O_ n k (fun h => peval h (pscal a p)).
Proof. intros H. apply (O_ext n k (fun h => val a * peval h p)); [intros; rewrite pscal_ok;
  reflexivity|apply O_scal, H]. Qed.
Lemma O_padd n k (p q : poly FF) : O_ n k (fun h => peval h p) -> O_ n k (fun h => peval h q) ->
  O_ n k (fun h => peval h (padd p q)).
Proof. intros H K. apply (O_ext n k (fun h => peval h p + peval h q)); [intros; rewrite padd_ok;
  reflexivity|apply O_add; assumption]. Qed.
Lemma O_pmul n j k (p q : poly FF) : O_ n j (fun h => peval h p) -> O_ n k (fun h => peval h q) ->
  O_ n (j + k) (fun h => peval h (pmul p q)).
Proof. intros H K. apply (O_ext n (j + k) (fun h => peval h p * peval h q)); [intros; rewrite pmul_ok;
  reflexivity|apply O_mul; assumption]. Qed.

Lemma compose_ok n e E F g c (a b : FF) c' j k :
  jet_ok n e E j -> (forall x, eval x F = g (eval x E)) -> eval (vec e) E = c ->
    taylor2 g c (val a) (val b) ->
  k = compose c' a b j -> (forall q, c' = Some q -> g c = val q) ->
  (exists r, 0 < r /\ forall h, S1 n h <= r -> fine (shift e h) F) -> jet_ok n e F k.
Proof.
  intros H HF Hc T HC Hv Hfine. subst k. assert (U := jet_first _ _ _ _ H).
  destruct H as (_ & L & Q & R & _). unfold jet_ok; simpl. repeat split; try assumption.
  - intros q Hq. rewrite HF, Hc. apply Hv, Hq.
  - apply O_pscal, L.
  - apply O_padd; [apply O_pscal, Q|]. apply O_pscal, (O_pmul n 1 1); assumption.
  - set (u := fun h => eval (shift e h) E - eval (vec e) E) in *.
    assert (RR : O_ n 3 (fun h => g (c + u h) - g c - val a * u h - val b * (u h * u h))).
    { destruct T as (M & d & HM & Hd & T). destruct (O_small n u d U Hd) as (r & Hr & Hs).
      destruct U as (M' & r' & HM' & Hr' & U). exists (M * M' ^ 3), (Rmin r r').
      repeat split; [apply Rmult_le_pos; [assumption|apply pow_le; assumption]|apply Rmin_pos; assumption|].
      intros h Hh. assert (A := Rmin_l r r'). assert (B := Rmin_r r r').
      eapply Rle_trans; [apply T; left; apply Hs; lra|]. rewrite Rmult_assoc.
        apply Rmult_le_compat_l; [assumption|].
      rewrite <- Rpow_mult_distr. apply pow_incr. split; [apply Rabs_pos|]. specialize (U h). simpl in U.
        rewrite Rmult_1_r in U. apply U; lra. }
    apply (O_ext n 3 (fun h => (g (c + u h) - g c - val a * u h - val b * (u h * u h)) + val a * rest e E j h
       + val b * ((u h - peval h (jl j)) * (u h + peval h (jl j))))).
    { intros h. unfold rest. simpl. rewrite !HF, padd_ok, !pscal_ok, pmul_ok. unfold u. rewrite Hc.
      replace (c + (eval (shift e h) E - c)) with (eval (shift e h) E) by ring. ring. }
    apply O_add; [apply O_add|]; [exact RR|apply O_scal, R|]. apply O_scal, (O_mul n 2 1).
    + apply (O_ext n 2 (fun h => peval h (jq j) + rest e E j h)); [intros; unfold rest, u; ring|].
      apply O_add; [exact Q|apply O_weak, R].
    + apply O_add; assumption.
Qed.

Lemma near n e E j (P : R -> Prop) d : jet_ok n e E j -> 0 < d ->
  (forall v, Rabs (v - eval (vec e) E) < d -> P v) ->
  exists r, 0 < r /\ forall h, S1 n h <= r -> P (eval (shift e h) E).
Proof.
  intros H Hd HP. destruct (O_small n _ d (jet_first _ _ _ _ H) Hd) as (r & Hr & K). exists r.
    split; [exact Hr|].
  intros h Hh. apply HP, K, Hh.
Qed.

Lemma inverse_jet_ok n e E q j k : jet_ok n e E j -> jc j = Some q -> inverse_jet q j = Some k ->
  jet_ok n e (Inv E) k.
Proof.
  intros K Ec H. assert (Hc : eval (vec e) E = val q) by (apply (proj1 K); exact Ec).
  unfold inverse_jet in H. destruct (kinv q) as [r|] eqn:Er; [|discriminate]. injection H as H. symmetry in H.
  apply inv_nonzero in Er. destruct Er as [Hq Hr].
  eapply (compose_ok n e E (Inv E) Rinv (val q)); try exact H; try exact K; try exact Hc.
  - reflexivity.
  - rewrite val_neg, !val_mul, Hr. apply taylor_inv, Hq.
  - intros u E'; injection E' as <-. symmetry; exact Hr.
  - simpl. apply (both_fine n e (fun x => fine x E) (fun x => eval x E <> 0)); [apply K|].
    apply (near n e E j (fun v => v <> 0) (Rabs (val q)) K); [apply Rabs_pos_lt, Hq|].
    intros v Hv E'. rewrite E', Hc in Hv. rewrite <- Rabs_Ropp in Hv.
    replace (- (0 - val q)) with (val q) in Hv by ring. lra.
Qed.
Lemma root_jet_ok n e E q j k : jet_ok n e E j -> jc j = Some q -> root_jet q j = Some k ->
  jet_ok n e (Fun Sqrt E) k.
Proof.
  intros K Ec H. assert (Hc : eval (vec e) E = val q) by (apply (proj1 K); exact Ec).
  unfold root_jet in H. destruct (kroot q) as [s|] eqn:Es; [|discriminate].
  destruct (kinv (kmul (of_q 2) s)) as [a|] eqn:Ea; [|discriminate].
  destruct (kinv (kmul (of_q 8) (kmul s (kmul s s)))) as [b|] eqn:Eb; [|discriminate]. injection H as H.
    symmetry in H.
  apply val_root in Es. destruct Es as [Ps Es]. apply inv_nonzero in Ea. destruct Ea as [_ Ha].
  apply inv_nonzero in Eb. destruct Eb as [_ Hb]. rewrite !val_mul, val_q in Ha, Hb.
  change (q2r 2) with 2 in Ha. change (q2r 8) with 8 in Hb.
  eapply (compose_ok n e E (Fun Sqrt E) sqrt (val q)); try exact H; try exact K; try exact Hc.
  - reflexivity.
  - rewrite val_neg, Ha, Hb, !val_mul. apply taylor_sqrt; assumption.
  - intros u E'; injection E' as <-. rewrite <- Es. apply sqrt_square. lra.
  - simpl. apply (both_fine n e (fun x => fine x E) (fun x => 0 < eval x E)); [apply K|].
    assert (0 < val q) by (rewrite <- Es; apply Rmult_lt_0_compat; exact Ps).
    apply (near n e E j (fun v => 0 < v) (val q) K); [assumption|].
    intros v Hv. rewrite Hc in Hv. unfold Rabs in Hv; destruct Rcase_abs; lra.
Qed.
Lemma quad_jet_ok n e E x y q j k : jet_ok n e E j -> jc j = Some q -> quad_jet x y q j = Some k ->
  jet_ok n e (Fun (Quad x y) E) k.
Proof.
  intros K Ec H. assert (Hc : eval (vec e) E = val q) by (apply (proj1 K); exact Ec). unfold quad_jet in H.
  destruct (Qle_bool x 0) eqn:Px; [discriminate|]. destruct (Qle_bool y 0) eqn:Py; [discriminate|].
  cbn [negb andb] in H. apply q2r_pos in Px. apply q2r_pos in Py.
  destruct (kinv (kadd (kmul (of_q x) (kmul q q)) (of_q y))) as [d|] eqn:Ed; [|discriminate].
  injection H as H. symmetry in H. apply inv_nonzero in Ed. destruct Ed as [_ Hd].
  rewrite val_add, !val_mul, !val_q in Hd.
  eapply (compose_ok n e E (Fun (Quad x y) E) (fnR (Quad x y)) (val q)); try exact H; try exact K;
    try exact Hc.
  - reflexivity.
  - rewrite !val_mul, val_neg, val_mul, val_q, Hd. apply taylor_quad; assumption.
  - intros u. destruct (is_zero q) eqn:Z; [|discriminate]. intros E'; injection E' as <-.
    rewrite (val_zero _ _ Z), val_q, q2r_0. unfold fnR. rewrite Rmult_0_l, atan_0. unfold Rdiv. ring.
  - simpl. destruct K as (_ & _ & _ & _ & r & Hr & Kf). exists r. split; [exact Hr|]. intros h Hh.
    repeat split; try assumption. apply Kf, Hh.
Qed.
Lemma function_jet_ok n e E f q j k : jet_ok n e E j -> jc j = Some q -> function_jet f q j = Some k ->
  jet_ok n e (Fun f E) k.
Proof.
  intros K Ec H. destruct f; cbn [function_jet] in H.
  - assert (Hc : eval (vec e) E = val q) by (apply (proj1 K); exact Ec).
    destruct (is_zero q) eqn:Z; [|discriminate]. apply val_zero in Z. rewrite Z in Hc. injection H as H.
      symmetry in H.
    eapply (compose_ok n e E (Fun Sin E) sin 0); try exact H; try exact K; try exact Hc.
    + reflexivity.
    + rewrite !val_q, q2r_1, q2r_0. apply taylor_sin.
    + intros u E'; injection E' as <-. rewrite val_q, q2r_0. apply sin_0.
    + apply K.
  - assert (Hc : eval (vec e) E = val q) by (apply (proj1 K); exact Ec).
    destruct (is_zero q) eqn:Z; [|discriminate]. apply val_zero in Z. rewrite Z in Hc. injection H as H.
      symmetry in H.
    eapply (compose_ok n e E (Fun Cos E) cos 0); try exact H; try exact K; try exact Hc.
    + reflexivity.
    + rewrite !val_q, q2r_0. replace (q2r (-1#2)) with (- / 2) by (unfold q2r; simpl; lra). apply taylor_cos.
    + intros u E'; injection E' as <-. rewrite val_q, q2r_1. apply cos_0.
    + apply K.
  - apply (root_jet_ok n e E q j k K Ec H).
  - apply (quad_jet_ok n e E a b q j k K Ec H).
Qed.

Lemma values_ok e i v : nth i (map (value FF) e) None = Some v -> vec e i = val v.
Proof.
  destruct (Nat.lt_ge_cases i (length e)) as [L|G]; [|rewrite nth_overflow by (rewrite map_length;
    exact G); discriminate].
  rewrite (nth_indep _ None (value FF (Num 0))) by (rewrite map_length; exact L). rewrite map_nth.
    apply value_ok.
Qed.
Lemma jet_of_ok n e E : forall j, jet_of n e E = Some j -> jet_ok n e E j.
Proof.
  unfold jet_of. induction E; cbn [jet_with]; intros j H.
  - injection H as <-. unfold jet_ok; simpl. repeat split.
    + intros p Hp; injection Hp as <-. symmetry. apply val_q.
    + apply O_zero. + apply O_zero.
    + apply (O_ext n 3 (fun _ => 0)); [intros; unfold rest; simpl; ring|apply O_zero].
    + exists 1; split; [lra|tauto].
  - destruct (Nat.ltb i n) eqn:Hi; [|discriminate].
    destruct (nth i (map (value FF) e) None) as [v|] eqn:Ev; [|discriminate]. injection H as <-.
      apply Nat.ltb_lt in Hi.
    unfold jet_ok; cbn [jc jl jq]. repeat split.
    + intros p Hp; injection Hp as <-. apply values_ok, Ev.
    + apply (O_ext n 1 (fun h => h i)); [intros; rewrite pvar_ok; reflexivity|apply O_var, Hi].
    + apply O_zero.
    + apply (O_ext n 3 (fun _ => 0)); [intros; unfold rest; cbn [jl jq]; rewrite pvar_ok; simpl;
      unfold shift; ring|apply O_zero].
    + exists 1; split; [lra|simpl; tauto].
  - destruct (jet_with n (map (value FF) e) E1) as [j1|]; [|discriminate].
    destruct (jet_with n (map (value FF) e) E2) as [j2|]; [|discriminate].
    injection H as <-. destruct (IHE1 _ eq_refl) as (c1 & L1 & Q1 & R1 & F1).
      destruct (IHE2 _ eq_refl) as (c2 & L2 & Q2 & R2 & F2).
    unfold jet_ok; cbn [jc jl jq]. repeat split.
    + intros q. destruct (jc j1), (jc j2); try discriminate. intros Hq; injection Hq as <-.
      simpl. rewrite (c1 _ eq_refl), (c2 _ eq_refl), val_add. reflexivity.
    + apply O_padd; assumption. + apply O_padd; assumption.
    + apply (O_ext n 3 (fun h => rest e E1 j1 h + rest e E2 j2 h)); [|apply O_add; assumption].
      intros h. unfold rest; cbn [jl jq eval]. rewrite !padd_ok. ring.
    + apply (both_fine n e (fun x => fine x E1) (fun x => fine x E2)); assumption.
  - destruct (jet_with n (map (value FF) e) E1) as [j1|]; [|discriminate].
    destruct (jet_with n (map (value FF) e) E2) as [j2|]; [|discriminate].
    destruct (IHE1 _ eq_refl) as (c1 & L1 & Q1 & R1 & F1).
      destruct (IHE2 _ eq_refl) as (c2 & L2 & Q2 & R2 & F2).
    destruct (jc j1) as [p|]; [|discriminate]. specialize (c1 _ eq_refl). destruct (jc j2) as [q|].
    + injection H as <-. specialize (c2 _ eq_refl). unfold jet_ok; cbn [jc jl jq]. repeat split.
      * intros r Hr; injection Hr as <-. simpl. rewrite c1, c2, val_mul. reflexivity.
      * apply O_padd; apply O_pscal; assumption.
      * apply O_padd; [apply O_padd; apply O_pscal; assumption|apply (O_pmul n 1 1); assumption].
      * apply (O_ext n 3 (fun h => val p * rest e E2 j2 h + val q * rest e E1 j1 h
          + peval h (jl j1) * (peval h (jq j2) + rest e E2 j2 h)
          + (peval h (jq j1) + rest e E1 j1 h) * (peval h (jl j2) + (peval h (jq j2) + rest e E2 j2 h)))).
        { intros h. unfold rest; cbn [jl jq eval]. rewrite !padd_ok, !pscal_ok, pmul_ok, c1, c2. ring. }
        assert (A2 : O_ n 2 (fun h => peval h (jq j2) + rest e E2 j2 h)) by (apply O_add;
          [assumption|apply O_weak; assumption]).
        assert (A1 : O_ n 2 (fun h => peval h (jq j1) + rest e E1 j1 h)) by (apply O_add;
          [assumption|apply O_weak; assumption]).
        apply O_add; [apply O_add; [apply O_add; apply O_scal; assumption|]|].
        -- apply (O_mul n 1 2); assumption.
        -- apply (O_mul n 2 1); [assumption|]. apply O_add; [assumption|apply O_weak, A2].
      * apply (both_fine n e (fun x => fine x E1) (fun x => fine x E2)); assumption.
    + unfold constant_jet in H. destruct (jl j1) eqn:El; [|discriminate].
      destruct (jq j1) eqn:Eq; [|discriminate]. injection H as <-.
      unfold jet_ok; cbn [jc jl jq]. repeat split.
      * discriminate.
      * apply O_pscal; assumption. * apply O_pscal; assumption.
      * apply (O_ext n 3 (fun h => val p * rest e E2 j2 h + rest e E1 j1 h * (eval (vec e) E2 + (eval (shift
        e h) E2 - eval (vec e) E2)))).
        { intros h. unfold rest; cbn [jl jq eval]. rewrite El, Eq, !pscal_ok, c1. simpl. ring. }
        apply O_add; [apply O_scal; assumption|]. apply (O_mul n 3 0); [assumption|].
        apply O_add; [apply O_const|]. apply O_weak, (jet_first n e E2 j2), IHE2; reflexivity.
      * apply (both_fine n e (fun x => fine x E1) (fun x => fine x E2)); assumption.
  - destruct (jet_with n (map (value FF) e) E) as [j1|]; [|discriminate]. assert (K := IHE _ eq_refl).
    destruct (jc j1) as [q|] eqn:Ec; [|discriminate]. apply (inverse_jet_ok n e E q j1 j K Ec H).
  - destruct (jet_with n (map (value FF) e) E) as [j1|]; [|discriminate]. assert (K := IHE _ eq_refl).
    destruct (jc j1) as [q|] eqn:Ec; [|discriminate]. apply (function_jet_ok n e E f q j1 j K Ec H).
Qed.

Definition jet0 : jet := J None [] [].
End Jets.
Arguments jet : clear implicits.
