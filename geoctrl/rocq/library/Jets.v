(* Value, linear and quadratic part of an expression at a rational point; what is left is of third order. *)
From Coq Require Import Reals QArith Qreals Qreduction List Lra Lia Bool PeanoNat ZArith Classical_Prop.
From Geoctrl Require Import OneDimension Orders Expressions Derivative Polynomials Identities Taylor.
Import ListNotations.
Local Open Scope R_scope.

(* ---- jets ---- *)
Record jet := J { jc : option Q; jl : poly; jq : poly }.
Definition qroot (q : Q) : Q := let r := Qred q in Z.sqrt (Qnum r) # Z.to_pos (Z.sqrt (Zpos (Qden r))).
Definition constant_jet (j : jet) : bool := pnil (jl j) && pnil (jq j).
Definition compose (c : option Q) (a b : Q) (j : jet) : option jet :=
  Some (J c (pscal a (jl j)) (padd (pscal a (jq j)) (pscal b (pmul (jl j) (jl j))))).

Fixpoint jet_of (n : nat) (e : list Q) (E : expr) : option jet :=
  match E with
  | Num q => Some (J (Some q) [] [])
  | Var i => if Nat.ltb i n then Some (J (Some (nth i e 0%Q)) (pvar i) []) else None
  | Add a b =>
      match jet_of n e a, jet_of n e b with
      | Some j, Some k =>
          Some (J match jc j, jc k with Some p, Some q => Some (qadd p q) | _, _ => None end
                  (padd (jl j) (jl k)) (padd (jq j) (jq k)))
      | _, _ => None
      end
  | Mul a b =>
      match jet_of n e a, jet_of n e b with
      | Some j, Some k =>
          match jc j, jc k with
          | Some p, Some q =>
              Some (J (Some (qmul p q)) (padd (pscal p (jl k)) (pscal q (jl j)))
                      (padd (padd (pscal p (jq k)) (pscal q (jq j))) (pmul (jl j) (jl k))))
          | Some p, None => if constant_jet j then Some (J None (pscal p (jl k)) (pscal p (jq k))) else None
          | _, _ => None
          end
      | _, _ => None
      end
  | Inv a =>
      match jet_of n e a with
      | Some j =>
          match jc j with
          | Some q => if Qeq_bool q 0 then None else
              let r := Qred (/ q) in compose (Some r) (qmul (-1#1) (qmul r r)) (qmul r (qmul r r)) j
          | None => None
          end
      | None => None
      end
  | Fun f a =>
      match jet_of n e a with
      | Some j =>
          match jc j with
          | Some q =>
              match f with
              | Sin => if Qeq_bool q 0 then compose (Some 0%Q) 1 0 j else None
              | Cos => if Qeq_bool q 0 then compose (Some 1%Q) 0 (-1#2) j else None
              | Sqrt => let s := qroot q in
                  if Qeq_bool (s * s) q && negb (Qle_bool s 0)
                  then compose (Some s) (Qred (/ (2 * s))) (Qred (- / (8 * (s * (s * s))))) j else None
              | Quad x y => if negb (Qle_bool x 0) && negb (Qle_bool y 0)
                  then let d := Qred (/ (x * (q * q) + y)) in
                    compose (if Qeq_bool q 0 then Some 0%Q else None) d (Qred (- (x * q) * (d * d))) j
                  else None
              end
          | None => None
          end
      | None => None
      end
  end.

Definition vec (e : list Q) : nat -> R := fun i => q2r (nth i e 0%Q).
Definition shift (e : list Q) (h : nat -> R) : nat -> R := fun i => vec e i + h i.

Definition rest (e : list Q) (E : expr) (j : jet) (h : nat -> R) : R :=
  eval (shift e h) E - eval (vec e) E - peval h (jl j) - peval h (jq j).
Definition jet_ok (n : nat) (e : list Q) (E : expr) (j : jet) : Prop :=
  (forall q, jc j = Some q -> eval (vec e) E = q2r q) /\
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

Lemma O_pscal n k a p : O_ n k (fun h => peval h p) -> O_ n k (fun h => peval h (pscal a p)).
Proof. intros H. apply (O_ext n k (fun h => q2r a * peval h p)); [intros; rewrite pscal_ok;
  reflexivity|apply O_scal, H]. Qed.
Lemma O_padd n k p q : O_ n k (fun h => peval h p) -> O_ n k (fun h => peval h q) ->
  O_ n k (fun h => peval h (padd p q)).
Proof. intros H K. apply (O_ext n k (fun h => peval h p + peval h q)); [intros; rewrite padd_ok;
  reflexivity|apply O_add; assumption]. Qed.
Lemma O_pmul n j k p q : O_ n j (fun h => peval h p) -> O_ n k (fun h => peval h q) ->
  O_ n (j + k) (fun h => peval h (pmul p q)).
Proof. intros H K. apply (O_ext n (j + k) (fun h => peval h p * peval h q)); [intros; rewrite pmul_ok;
  reflexivity|apply O_mul; assumption]. Qed.

Lemma compose_ok n e E F g c a b c' j k :
  jet_ok n e E j -> (forall x, eval x F = g (eval x E)) -> eval (vec e) E = c ->
    taylor2 g c (q2r a) (q2r b) ->
  compose c' a b j = Some k -> (forall q, c' = Some q -> g c = q2r q) ->
  (exists r, 0 < r /\ forall h, S1 n h <= r -> fine (shift e h) F) -> jet_ok n e F k.
Proof.
  intros H HF Hc T HC Hv Hfine. injection HC as <-. assert (U := jet_first _ _ _ _ H).
  destruct H as (_ & L & Q & R & _). unfold jet_ok; simpl. repeat split; try assumption.
  - intros q Hq. rewrite HF, Hc. apply Hv, Hq.
  - apply O_pscal, L.
  - apply O_padd; [apply O_pscal, Q|]. apply O_pscal, (O_pmul n 1 1); assumption.
  - set (u := fun h => eval (shift e h) E - eval (vec e) E) in *.
    assert (RR : O_ n 3 (fun h => g (c + u h) - g c - q2r a * u h - q2r b * (u h * u h))).
    { destruct T as (M & d & HM & Hd & T). destruct (O_small n u d U Hd) as (r & Hr & Hs).
      destruct U as (M' & r' & HM' & Hr' & U). exists (M * M' ^ 3), (Rmin r r').
      repeat split; [apply Rmult_le_pos; [assumption|apply pow_le; assumption]|apply Rmin_pos; assumption|].
      intros h Hh. assert (A := Rmin_l r r'). assert (B := Rmin_r r r').
      eapply Rle_trans; [apply T; left; apply Hs; lra|]. rewrite Rmult_assoc.
        apply Rmult_le_compat_l; [assumption|].
      rewrite <- Rpow_mult_distr. apply pow_incr. split; [apply Rabs_pos|]. specialize (U h). simpl in U.
        rewrite Rmult_1_r in U. apply U; lra. }
    apply (O_ext n 3 (fun h => (g (c + u h) - g c - q2r a * u h - q2r b * (u h * u h)) + q2r a * rest e E j h
       + q2r b * ((u h - peval h (jl j)) * (u h + peval h (jl j))))).
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

Lemma jet_of_ok n e E : forall j, jet_of n e E = Some j -> jet_ok n e E j.
Proof.
  induction E; cbn [jet_of]; intros j H.
  - injection H as <-. unfold jet_ok; simpl. repeat split.
    + intros p Hp; injection Hp as <-; reflexivity.
    + apply O_zero. + apply O_zero.
    + apply (O_ext n 3 (fun _ => 0)); [intros; unfold rest; simpl; ring|apply O_zero].
    + exists 1; split; [lra|tauto].
  - destruct (Nat.ltb i n) eqn:Hi; [|discriminate]. injection H as <-. apply Nat.ltb_lt in Hi.
    unfold jet_ok; cbn [jc jl jq]. repeat split.
    + intros p Hp; injection Hp as <-; reflexivity.
    + apply (O_ext n 1 (fun h => h i)); [intros; rewrite pvar_ok; reflexivity|apply O_var, Hi].
    + apply O_zero.
    + apply (O_ext n 3 (fun _ => 0)); [intros; unfold rest; cbn [jl jq]; rewrite pvar_ok; simpl;
      unfold shift; ring|apply O_zero].
    + exists 1; split; [lra|simpl; tauto].
  - destruct (jet_of n e E1) as [j1|]; [|discriminate]. destruct (jet_of n e E2) as [j2|]; [|discriminate].
    injection H as <-. destruct (IHE1 _ eq_refl) as (c1 & L1 & Q1 & R1 & F1).
      destruct (IHE2 _ eq_refl) as (c2 & L2 & Q2 & R2 & F2).
    unfold jet_ok; cbn [jc jl jq]. repeat split.
    + intros q. destruct (jc j1), (jc j2); try discriminate. intros Hq; injection Hq as <-.
      simpl. rewrite (c1 _ eq_refl), (c2 _ eq_refl), q2r_add. reflexivity.
    + apply O_padd; assumption. + apply O_padd; assumption.
    + apply (O_ext n 3 (fun h => rest e E1 j1 h + rest e E2 j2 h)); [|apply O_add; assumption].
      intros h. unfold rest; cbn [jl jq eval]. rewrite !padd_ok. ring.
    + apply (both_fine n e (fun x => fine x E1) (fun x => fine x E2)); assumption.
  - destruct (jet_of n e E1) as [j1|]; [|discriminate]. destruct (jet_of n e E2) as [j2|]; [|discriminate].
    destruct (IHE1 _ eq_refl) as (c1 & L1 & Q1 & R1 & F1).
      destruct (IHE2 _ eq_refl) as (c2 & L2 & Q2 & R2 & F2).
    destruct (jc j1) as [p|]; [|discriminate]. specialize (c1 _ eq_refl). destruct (jc j2) as [q|].
    + injection H as <-. specialize (c2 _ eq_refl). unfold jet_ok; cbn [jc jl jq]. repeat split.
      * intros r Hr; injection Hr as <-. simpl. rewrite c1, c2, q2r_mul. reflexivity.
      * apply O_padd; apply O_pscal; assumption.
      * apply O_padd; [apply O_padd; apply O_pscal; assumption|apply (O_pmul n 1 1); assumption].
      * apply (O_ext n 3 (fun h => q2r p * rest e E2 j2 h + q2r q * rest e E1 j1 h
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
      * apply (O_ext n 3 (fun h => q2r p * rest e E2 j2 h + rest e E1 j1 h * (eval (vec e) E2 + (eval (shift
        e h) E2 - eval (vec e) E2)))).
        { intros h. unfold rest; cbn [jl jq eval]. rewrite El, Eq, !pscal_ok, c1. simpl. ring. }
        apply O_add; [apply O_scal; assumption|]. apply (O_mul n 3 0); [assumption|].
        apply O_add; [apply O_const|]. apply O_weak, (jet_first n e E2 j2), IHE2; reflexivity.
      * apply (both_fine n e (fun x => fine x E1) (fun x => fine x E2)); assumption.
  - destruct (jet_of n e E) as [j1|]; [|discriminate]. assert (K := IHE _ eq_refl).
    destruct (jc j1) as [q|] eqn:Ec; [|discriminate]. destruct (Qeq_bool q 0) eqn:Z; [discriminate|].
    assert (Hq := q2r_nonzero _ Z). assert (Hc : eval (vec e) E = q2r q) by (apply (proj1 K); exact Ec).
    assert (Hr : q2r (Qred (/ q)) = / q2r q).
    { rewrite q2r_red. apply q2r_inv. apply Qeq_bool_neq, Z. }
    eapply (compose_ok n e E (Inv E) Rinv (q2r q)); try exact H; try exact K; try exact Hc.
    + reflexivity.
    + rewrite !q2r_mul, Hr, q2r_m1. replace (-1 * (/ q2r q * / q2r q)) with (- (/ q2r q * / q2r q)) by ring.
      apply taylor_inv, Hq.
    + intros r E'; injection E' as <-. symmetry; exact Hr.
    + simpl. apply (both_fine n e (fun x => fine x E) (fun x => eval x E <> 0)); [apply K|].
      apply (near n e E j1 (fun v => v <> 0) (Rabs (q2r q)) K); [apply Rabs_pos_lt, Hq|].
      intros v Hv E'. rewrite E', Hc in Hv. rewrite <- Rabs_Ropp in Hv.
        replace (- (0 - q2r q)) with (q2r q) in Hv by ring. lra.
  - destruct (jet_of n e E) as [j1|]; [|discriminate]. assert (K := IHE _ eq_refl).
    destruct (jc j1) as [q|] eqn:Ec; [|discriminate]. assert (Hc : eval (vec e) E = q2r q) by (apply (proj1
      K); exact Ec).
    destruct f.
    + destruct (Qeq_bool q 0) eqn:Z; [|discriminate]. apply q2r_zero in Z. rewrite Z in Hc.
      eapply (compose_ok n e E (Fun Sin E) sin 0); try exact H; try exact K; try exact Hc.
      * reflexivity.
      * rewrite q2r_1, q2r_0. apply taylor_sin.
      * intros r E'; injection E' as <-. rewrite q2r_0. apply sin_0.
      * apply K.
    + destruct (Qeq_bool q 0) eqn:Z; [|discriminate]. apply q2r_zero in Z. rewrite Z in Hc.
      eapply (compose_ok n e E (Fun Cos E) cos 0); try exact H; try exact K; try exact Hc.
      * reflexivity.
      * rewrite q2r_0. replace (q2r (-1#2)) with (- / 2) by (unfold q2r; simpl; lra). apply taylor_cos.
      * intros r E'; injection E' as <-. rewrite q2r_1. apply cos_0.
      * apply K.
    + cbv zeta in H. set (s := qroot q) in *. destruct (Qeq_bool (s * s) q) eqn:Es; [|discriminate].
      destruct (Qle_bool s 0) eqn:Ps; [discriminate|].
      cbn [negb andb] in H. apply q2r_pos in Ps. apply Qeq_bool_eq, q2r_eq in Es.
      assert (Es' : q2r s * q2r s = q2r q). { rewrite <- Es. symmetry. apply q2r_times. }
      assert (Hn : ~ (s == 0)%Q). { intros Z. apply q2r_eq in Z. rewrite q2r_0 in Z. lra. }
      assert (H2 : q2r (2 * s) = 2 * q2r s). { rewrite q2r_times, q2r_int. reflexivity. }
      assert (H8 : q2r (8 * (s * (s * s))) = 8 * (q2r s * (q2r s * q2r s))).
      { rewrite !q2r_times, q2r_int. reflexivity. }
      assert (P3 : 0 < q2r s * (q2r s * q2r s)) by (apply Rmult_lt_0_compat;
        [exact Ps|apply Rmult_lt_0_compat; exact Ps]).
      eapply (compose_ok n e E (Fun Sqrt E) sqrt (q2r q)); try exact H; try exact K; try exact Hc.
      * reflexivity.
      * rewrite !q2r_red. rewrite q2r_inv, H2.
        2:{ intros Z. apply q2r_eq in Z. rewrite H2, q2r_0 in Z. lra. }
        rewrite q2r_opp, q2r_inv, H8.
        2:{ intros Z. apply q2r_eq in Z. rewrite H8, q2r_0 in Z. lra. }
        apply taylor_sqrt; assumption.
      * intros r E'; injection E' as <-. rewrite <- Es'. apply sqrt_square. lra.
      * simpl. apply (both_fine n e (fun x => fine x E) (fun x => 0 < eval x E)); [apply K|].
        assert (0 < q2r q) by (rewrite <- Es'; apply Rmult_lt_0_compat; exact Ps).
        apply (near n e E j1 (fun v => 0 < v) (q2r q) K); [assumption|].
        intros v Hv. rewrite Hc in Hv. unfold Rabs in Hv; destruct Rcase_abs; lra.
    + destruct (Qle_bool a 0) eqn:Pa; [discriminate|]. destruct (Qle_bool b 0) eqn:Pb; [discriminate|].
      cbn [negb andb] in H.
      apply q2r_pos in Pa. apply q2r_pos in Pb.
      assert (Ed : q2r (a * (q * q) + b) = q2r a * (q2r q * q2r q) + q2r b).
      { rewrite q2r_plus, !q2r_times. reflexivity. }
      assert (Pd : 0 < q2r (a * (q * q) + b)).
      { rewrite Ed. assert (0 <= q2r a * (q2r q * q2r q)) by (apply Rmult_le_pos; [lra|apply Rle_0_sqr]).
        lra. }
      assert (Hd : q2r (Qred (/ (a * (q * q) + b))) = / (q2r a * (q2r q * q2r q) + q2r b)).
      { rewrite q2r_red, q2r_inv, Ed; [reflexivity|].
        intros Z. apply q2r_eq in Z. rewrite q2r_0 in Z. lra. }
      eapply (compose_ok n e E (Fun (Quad a b) E) (fnR (Quad a b)) (q2r q)); try exact H; try exact K;
        try exact Hc.
      * reflexivity.
      * set (d := Qred (/ (a * (q * q) + b))) in *.
        rewrite q2r_red.
        rewrite !q2r_times, q2r_opp, q2r_times, Hd. apply taylor_quad; assumption.
      * intros r. destruct (Qeq_bool q 0) eqn:Z; [|discriminate]. intros E'; injection E' as <-.
        rewrite (q2r_zero _ Z), q2r_0. unfold fnR. rewrite Rmult_0_l, atan_0. unfold Rdiv. ring.
      * simpl. destruct K as (_ & _ & _ & _ & r & Hr & Kf). exists r. split; [exact Hr|]. intros h Hh.
        repeat split; try assumption. apply Kf, Hh.
Qed.

Definition jet0 := J None [] [].
