(* Functions of one variable to second order: sine, cosine, inverse, square root, arc tangent. *)
From Coq Require Import Reals QArith Qreals Qreduction List Lra Lia Bool PeanoNat ZArith Classical_Prop.
From Geoctrl Require Import OneDimension Orders Expressions Derivative Fields Polynomials Identities.
Import ListNotations.
Local Open Scope R_scope.

(* ---- second order of functions of one variable ---- *)
Definition taylor2 (g : R -> R) (c a b : R) : Prop :=
  exists M d, 0 <= M /\ 0 < d /\ forall u, Rabs u <= d -> Rabs (g (c + u) - g c - a * u - b * (u * u)) <= M
    * Rabs u ^ 3.

Lemma cubic (f f' : R -> R) M d : 0 < d -> 0 <= M -> f 0 = 0 ->
  (forall u, Rabs u <= d -> derivable_pt_lim f u (f' u)) -> (forall u, Rabs u <= d ->
    Rabs (f' u) <= M * (u * u)) ->
  forall u, Rabs u <= d -> Rabs (f u) <= M * Rabs u ^ 3.
Proof.
  intros Hd HM H0 Hf Hb u Hu. destruct (Req_dec u 0) as [->|Hz].
  { rewrite H0, Rabs_R0. simpl. lra. }
  assert (K : exists c, Rabs c <= Rabs u /\ f u = f' c * u).
  { destruct (Rlt_le_dec 0 u) as [P|P].
    - rewrite Rabs_right in Hu by lra. destruct (mvt f f' 0 u P) as (c & Hc & E).
      + intros c Hc. apply derivable_continuous_pt. exists (f' c). apply Hf. rewrite Rabs_right; lra.
      + intros c Hc. apply Hf. rewrite Rabs_right; lra.
      + exists c. rewrite !Rabs_right by lra. split; [lra|]. rewrite H0 in E. lra.
    - assert (u < 0) by lra. rewrite Rabs_left in Hu by lra. destruct (mvt f f' u 0 H) as (c & Hc & E).
      + intros c Hc. apply derivable_continuous_pt. exists (f' c). apply Hf.
        unfold Rabs; destruct Rcase_abs; lra.
      + intros c Hc. apply Hf. unfold Rabs; destruct Rcase_abs; lra.
      + exists c. rewrite !Rabs_left by lra. split; [lra|]. rewrite H0 in E. lra. }
  destruct K as (c & Hc & E). rewrite E, Rabs_mult.
  assert (Hb' := Hb c (Rle_trans _ _ _ Hc Hu)).
  assert (P := Rabs_pos u). assert (P' := Rabs_pos c).
  assert (c * c <= Rabs u * Rabs u).
  { replace (c * c) with (Rabs c * Rabs c) by (unfold Rabs; destruct Rcase_abs; ring).
    apply Rmult_le_compat; lra. }
  replace (M * Rabs u ^ 3) with (M * (Rabs u * Rabs u) * Rabs u) by ring.
  apply Rmult_le_compat_r; [lra|]. eapply Rle_trans; [exact Hb'|]. apply Rmult_le_compat_l; assumption.
Qed.

Lemma taylor2_of (g g' : R -> R) c a b M d : 0 < d -> 0 <= M ->
  (forall u, Rabs u <= d -> derivable_pt_lim g (c + u) (g' u)) ->
  (forall u, Rabs u <= d -> Rabs (g' u - a - 2 * b * u) <= M * (u * u)) -> taylor2 g c a b.
Proof.
  intros Hd HM Hg Hb. exists M, d. repeat split; try assumption.
  apply (cubic (fun u => g (c + u) - g c - a * u - b * (u * u)) (fun u => g' u - a - 2 * b * u));
    try assumption.
  - rewrite Rplus_0_r. ring.
  - intros u Hu. specialize (Hg u Hu).
    replace (g' u - a - 2 * b * u) with ((g' u - 0 - (0 * u + a * 1)) - (0 * (u * u) + b * (1 * u + u * 1)))
      by ring.
    apply (derivable_pt_lim_minus (fun u => g (c + u) - g c - a * u) (fun u => b * (u * u))).
    + apply (derivable_pt_lim_minus (fun u => g (c + u) - g c) (fun u => a * u)).
      * apply (derivable_pt_lim_minus (fun u => g (c + u)) (fun u => g c)); [|apply derivable_pt_lim_const].
        intros eps He. destruct (Hg eps He) as [e K]. exists e. intros h H1 H2. specialize (K h H1 H2).
        rewrite <- Rplus_assoc. exact K.
      * apply (derivable_pt_lim_mult (fun _ => a) id); [apply derivable_pt_lim_const|apply
        derivable_pt_lim_id].
    + apply (derivable_pt_lim_mult (fun _ => b) (fun u => u * u)); [apply derivable_pt_lim_const|].
      apply (derivable_pt_lim_mult id id); apply derivable_pt_lim_id.
Qed.

Lemma sin_abs_pos u : 0 < u -> Rabs (sin u) <= u.
Proof.
  intros P. apply Rabs_le. split.
  - destruct (Rle_dec u 1).
    + assert (0 <= sin u). { apply sin_ge_0; [lra|]. assert (A := PI2_1). lra. } lra.
    + assert (B := SIN_bound u). lra.
  - left. apply sin_lt_x, P.
Qed.
Lemma sin_abs u : Rabs (sin u) <= Rabs u.
Proof.
  destruct (Rlt_le_dec 0 u) as [P|P].
  - rewrite (Rabs_right u) by lra. apply sin_abs_pos, P.
  - destruct (Req_dec u 0) as [->|]; [rewrite sin_0, Rabs_R0; lra|].
    rewrite (Rabs_left u) by lra. assert (K := sin_abs_pos (- u)). rewrite sin_neg, Rabs_Ropp in K.
      apply K. lra.
Qed.
Lemma cos_near u : Rabs (cos u - 1) <= u * u.
Proof.
  assert (E : cos u = 1 - 2 * (sin (u / 2) * sin (u / 2))).
  { replace u with (2 * (u / 2)) at 1 by field. rewrite cos_2a_sin. ring. }
  rewrite E. assert (A := sin_abs (u / 2)). assert (P := Rabs_pos (sin (u/2))).
  assert (B : sin (u / 2) * sin (u / 2) <= (u / 2) * (u / 2)).
  { replace (sin (u / 2) * sin (u / 2)) with (Rabs (sin (u / 2)) * Rabs (sin (u / 2))) by (unfold Rabs;
    destruct Rcase_abs; ring).
    replace (u / 2 * (u / 2)) with (Rabs (u / 2) * Rabs (u / 2)) by (unfold Rabs; destruct Rcase_abs; ring).
    apply Rmult_le_compat; lra. }
  assert (0 <= sin (u / 2) * sin (u / 2)) by apply Rle_0_sqr.
  assert (0 <= u * u) by apply Rle_0_sqr.
  apply Rabs_le. lra.
Qed.
Lemma sin_near u : Rabs (sin u - u) <= Rabs u ^ 3.
Proof.
  replace (Rabs u ^ 3) with (1 * Rabs u ^ 3) by ring.
  apply (cubic (fun u => sin u - u) (fun u => cos u - 1) 1 (Rabs u + 1)); try lra.
  - assert (P := Rabs_pos u). lra.
  - rewrite sin_0; ring.
  - intros v _. apply (derivable_pt_lim_minus sin id); [apply derivable_pt_lim_sin|apply derivable_pt_lim_id].
  - intros v _. rewrite Rmult_1_l. apply cos_near.
Qed.

Lemma taylor_sin : taylor2 sin 0 1 0.
Proof.
  exists 1, 1. repeat split; try lra. intros u _. rewrite Rplus_0_l, sin_0.
  replace (sin u - 0 - 1 * u - 0 * (u * u)) with (sin u - u) by ring. rewrite Rmult_1_l. apply sin_near.
Qed.
Lemma taylor_cos : taylor2 cos 0 0 (- / 2).
Proof.
  apply (taylor2_of cos (fun u => - sin u) 0 0 (- / 2) 1 1); try lra.
  - intros u _. rewrite Rplus_0_l. apply derivable_pt_lim_cos.
  - intros u Hu. replace (- sin u - 0 - 2 * - / 2 * u) with (- (sin u - u)) by field. rewrite Rabs_Ropp.
    eapply Rle_trans; [apply sin_near|]. assert (P := Rabs_pos u).
    replace (1 * (u * u)) with (1 * (Rabs u * Rabs u)) by (unfold Rabs; destruct Rcase_abs; ring).
    replace (Rabs u ^ 3) with (Rabs u * (Rabs u * Rabs u)) by ring.
    apply Rmult_le_compat_r; [apply Rmult_le_pos; lra|lra].
Qed.
Lemma taylor_inv c : c <> 0 -> taylor2 Rinv c (- (/ c * / c)) (/ c * (/ c * / c)).
Proof.
  intros Hc. assert (Pc : 0 < Rabs c) by (apply Rabs_pos_lt; exact Hc).
  assert (Pc3 : 0 < Rabs c ^ 4) by (apply pow_lt; exact Pc).
  exists (2 / Rabs c ^ 4), (Rabs c / 2). repeat split; try lra.
  { left. apply Rdiv_lt_0_compat; lra. }
  intros u Hu.
  assert (L : Rabs c / 2 <= Rabs (c + u)).
  { assert (T := Rabs_triang (c + u) (- u)). replace (c + u + - u) with c in T by ring.
    rewrite Rabs_Ropp in T. lra. }
  assert (Hcu : c + u <> 0). { intros E. rewrite E, Rabs_R0 in L. lra. }
  replace (/ (c + u) - / c - - (/ c * / c) * u - / c * (/ c * / c) * (u * u))
    with (- (u ^ 3 * (/ (c ^ 3) * / (c + u)))) by (field; split; assumption).
  rewrite Rabs_Ropp, !Rabs_mult, <- RPow_abs, Rmult_comm. apply Rmult_le_compat_r; [apply pow_le, Rabs_pos|].
  rewrite !Rabs_inv, <- RPow_abs.
  replace (2 / Rabs c ^ 4) with (/ Rabs c ^ 3 * / (Rabs c / 2)) by (field; lra).
  apply Rmult_le_compat_l; [left; apply Rinv_0_lt_compat, pow_lt; exact Pc|].
  apply Rinv_le_contravar; lra.
Qed.
Lemma taylor_quad a b q : 0 < q2r a -> 0 < q2r b ->
  taylor2 (fnR (Quad a b)) q (/ (q2r a * (q * q) + q2r b))
    (- (q2r a * q) * (/ (q2r a * (q * q) + q2r b) * / (q2r a * (q * q) + q2r b))).
Proof.
  intros Ha Hb. set (p := q2r a) in *. set (r := q2r b) in *. set (D := p * (q * q) + r).
  assert (HD : 0 < D). { assert (0 <= p * (q * q)) by (apply Rmult_le_pos; [lra|apply Rle_0_sqr]).
    unfold D; lra. }
  apply (taylor2_of _ (fun u => / (p * ((q + u) * (q + u)) + r)) q _ _ ((p * r + 3 * p * p * (q * q) + 2 * p
    * p * Rabs q + p * D * 0 ) * (/ D * / D * / r)) 1); try lra.
  - apply Rmult_le_pos.
    + assert (0 <= q * q) by apply Rle_0_sqr. assert (0 <= Rabs q) by apply Rabs_pos.
      assert (0 <= p * r) by (apply Rmult_le_pos; lra). assert (0 <= p * p) by (apply Rmult_le_pos; lra).
      assert (0 <= p * p * (q * q)) by (apply Rmult_le_pos; assumption).
        assert (0 <= p * p * Rabs q) by (apply Rmult_le_pos; assumption). lra.
    + left. assert (0 < / D) by (apply Rinv_0_lt_compat; exact HD).
      assert (0 < / r) by (apply Rinv_0_lt_compat; exact Hb).
      repeat apply Rmult_lt_0_compat; assumption.
  - intros u _. apply quad_deriv; assumption.
  - intros u Hu. set (E := p * ((q + u) * (q + u)) + r).
    assert (0 <= p * ((q + u) * (q + u))) by (apply Rmult_le_pos; [lra|apply Rle_0_sqr]).
    assert (HE : r <= E) by (unfold E; lra).
    assert (HE0 : 0 < E) by lra.
    replace (/ E - / D - 2 * (- (p * q) * (/ D * / D)) * u)
      with ((- (p * r) + 3 * p * p * (q * q) + 2 * p * p * q * u) * (/ D * / D * / E) * (u * u)).
    2:{ unfold E, D in *. field. split; lra. }
    rewrite Rabs_mult. rewrite (Rabs_right (u * u)) by (apply Rle_ge, Rle_0_sqr).
    apply Rmult_le_compat_r; [apply Rle_0_sqr|]. rewrite Rabs_mult.
    assert (iD : 0 < / D) by (apply Rinv_0_lt_compat; exact HD).
      assert (iE : 0 < / E) by (apply Rinv_0_lt_compat; exact HE0).
    assert (iDD : 0 < / D * / D) by (apply Rmult_lt_0_compat; exact iD).
    rewrite (Rabs_right (/ D * / D * / E)) by (apply Rle_ge; left; apply Rmult_lt_0_compat; assumption).
    apply Rmult_le_compat; [apply Rabs_pos|left; apply Rmult_lt_0_compat; assumption| |].
    + assert (0 <= q * q) by apply Rle_0_sqr. assert (0 <= p * r) by (apply Rmult_le_pos; lra).
      assert (0 <= p * p) by (apply Rmult_le_pos; lra).
      assert (0 <= p * p * (q * q)) by (apply Rmult_le_pos; assumption).
      eapply Rle_trans; [apply Rabs_triang|].
      assert (Rabs (- (p * r) + 3 * p * p * (q * q)) <= p * r + 3 * p * p * (q * q)) by (apply Rabs_le; lra).
      assert (Rabs (2 * p * p * q * u) <= 2 * p * p * Rabs q).
      { rewrite !Rabs_mult, (Rabs_right 2), (Rabs_right p) by lra.
        apply Rle_trans with (2 * p * p * Rabs q * 1); [|lra].
        apply Rmult_le_compat_l; [|exact Hu]. assert (0 <= Rabs q) by apply Rabs_pos.
        assert (0 <= p * p * Rabs q) by (apply Rmult_le_pos; assumption). lra. }
      lra.
    + apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra.
Qed.
Lemma taylor_sqrt q s : 0 < s -> s * s = q -> taylor2 sqrt q (/ (2 * s)) (- / (8 * (s * (s * s)))).
Proof.
  intros Hs Hq. assert (Hss : 0 < s * s) by (apply Rmult_lt_0_compat; exact Hs).
  assert (Es : sqrt q = s) by (rewrite <- Hq; apply sqrt_square; lra).
  apply (taylor2_of _ (fun u => / (2 * sqrt (q + u))) q _ _ (/ (s * (s * (s * (s * s))))) (3 / 4 * (s *
    s))); try lra.
  - left. apply Rinv_0_lt_compat. repeat apply Rmult_lt_0_compat; exact Hs.
  - intros u Hu. apply derivable_pt_lim_sqrt. unfold Rabs in Hu; destruct Rcase_abs; lra.
  - intros u Hu. assert (Hp : s * s / 4 <= q + u) by (unfold Rabs in Hu; destruct Rcase_abs; lra).
    assert (Hw : s / 2 <= sqrt (q + u)).
    { replace (s / 2) with (sqrt (s * s / 4)).
      - apply sqrt_le_1; lra.
      - replace (s * s / 4) with (s / 2 * (s / 2)) by field. apply sqrt_square. lra. }
    assert (Ew : sqrt (q + u) * sqrt (q + u) = q + u) by (apply sqrt_sqrt; lra).
    set (w := sqrt (q + u)) in *. assert (Eu : u = (w - s) * (w + s)) by (rewrite <- Hq in Ew; lra).
    replace (/ (2 * w) - / (2 * s) - 2 * - / (8 * (s * (s * s))) * u)
      with (u * u * ((w + 2 * s) * / (4 * (s * (s * s)) * w * ((w + s) * (w + s))))).
    2:{ rewrite Eu. field. repeat split; try lra. }
    rewrite Rabs_mult, (Rabs_right (u * u)) by (apply Rle_ge, Rle_0_sqr). rewrite Rmult_comm.
    apply Rmult_le_compat_r; [apply Rle_0_sqr|].
    assert (P3 : 0 < s * (s * s)) by (apply Rmult_lt_0_compat; assumption).
    assert (Pw : 0 < w) by lra. assert (Pws : 0 < w + s) by lra.
    assert (PD : 0 < 4 * (s * (s * s)) * w * ((w + s) * (w + s))) by (repeat apply Rmult_lt_0_compat; lra).
    rewrite Rabs_right.
    2:{ apply Rle_ge, Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat, PD. }
    apply Rle_trans with (2 * (w + s) * / (4 * (s * (s * s)) * w * ((w + s) * (w + s)))).
    + apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, PD|]. lra.
    + replace (2 * (w + s) * / (4 * (s * (s * s)) * w * ((w + s) * (w + s)))) with (/ (s * (s * s) * (2 * w
      * (w + s)))) by (field; repeat split; lra).
      apply Rinv_le_contravar; [repeat apply Rmult_lt_0_compat; exact Hs|].
      replace (s * (s * (s * (s * s)))) with (s * (s * s) * (s * s)) by ring.
      apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat; lra.
Qed.
