(* Asymptotic stability, at a rate: V falls along all motions near the point. *)
From Coq Require Import Reals QArith Qreals Qreduction List Lra Lia Bool PeanoNat ZArith Classical_Prop.
From Geoctrl Require Import OneDimension Orders Expressions Derivative Fields Polynomials Identities Taylor
  Jets
  Definite Motions EnergyCasimir Unknowns Rates.
Import ListNotations.
Local Open Scope R_scope.

Section Over.
Context {FF : field}.

(* ---- asymptotic stability ---- *)
Fixpoint dist2 (e : list expr) (n : nat) : expr :=
  match n with O => Num 0 | S k => let d := Sub (Var k) (coordinate e k) in Add (dist2 e k) (Mul d d) end.
Lemma dist2_ok e n y : eval y (dist2 e n) = Q1 n (off (vec e) y).
Proof.
  induction n; [apply q2r_0|]. cbn [dist2]. unfold Sub, Neg, mone. cbn [eval Q1].
  rewrite IHn, q2r_m1, coordinate_ok. unfold off. ring.
Qed.
Record above := Above { b_c : Q; b_K : Q; b_k : Q; b_w : squares }.
Definition falls (D : rate) (f : list expr) : expr := Sub (Mul mone (deriv f (r_V D))) (Mul (Num (r_a D))
  (r_V D)).
Definition as_check (P : plant) (D : rate) (L : above) : bool :=
  plant_check P && rate_check P (falls D (p_f P)) D && negb (Qle_bool (b_c L) 0) && Qle_bool 0 (r_a D) &&
  positive_check (p_n P) 0 (p_e P) [] (b_K L) (b_k L) (b_w L) (Sub (r_V D) (Mul (Num (b_c L)) (dist2 (p_e P)
    (p_n P)))) (map fe (p_leaf P)).

Definition exponentially_stable (n : nat) (f eqs : list expr) (e : list expr) (leaf : list expr) (a : R) :
  Prop
  :=
  exists C, 0 < C /\ forall eps, 0 < eps -> exists d, 0 < d /\ forall (Y : R -> nat ->
    R) (T : R), 0 <= T -> motion n f eqs Y T ->
    (forall g, In g leaf -> eval (Y 0) g = 0) -> (forall i, (i < n)%nat -> Rabs (Y 0 i - vec e i) < d) ->
    forall t, 0 <= t <= T -> forall i, (i < n)%nat ->
      Rabs (Y t i - vec e i) < eps /\ (Y t i - vec e i) * (Y t i - vec e i) <= C * exp (- a * t).

Theorem asymptotic P D L : as_check P D L = true ->
  exponentially_stable (p_n P) (p_f P) (p_eqs P) (p_e P) (map fe (p_leaf P)) (q2r (r_a D)).
Proof.
  unfold as_check. intros H. apply andb_true_iff in H. destruct H as [H HL]. apply andb_true_iff in H.
    destruct H as [H HA].
  apply andb_true_iff in H. destruct H as [H HC]. apply andb_true_iff in H. destruct H as [HP HR].
  apply negb_true_iff in HC. apply q2r_pos in HC. apply q2r_le in HA. rewrite q2r_0 in HA.
  destruct (along P (falls D (p_f P)) D HP HR) as (r1 & Hr1 & HAl).
  destruct (positive_near _ _ _ _ _ _ _ _ _ HL) as (r2 & Hr2 & HPos).
  set (n := p_n P) in *. set (e := p_e P) in *. set (V := r_V D) in *. set (a := q2r (r_a D)) in *.
    set (c := q2r (b_c L)) in *.
  assert (HV : zero_at n e V = true) by (unfold rate_check in HR; apply andb_true_iff in HR; tauto).
  destruct (zero_at_O _ _ _ HV) as [BV (M & r3 & HM & Hr3 & HV3)].
  set (r := Rmin r1 (Rmin r2 r3)). assert (Hr : 0 < r) by (repeat apply Rmin_pos; assumption).
  assert (B1 : r <= r1) by apply Rmin_l. assert (B2 : r <= Rmin r2 r3) by apply Rmin_r.
  assert (B3 : Rmin r2 r3 <= r2) by apply Rmin_l. assert (B4 : Rmin r2 r3 <= r3) by apply Rmin_r.
  set (N := INR n + 1). assert (PN : 0 < N) by (assert (Q := pos_INR n); unfold N; lra).
  set (c1 := c / N). assert (Pc1 : 0 < c1) by (apply Rdiv_lt_0_compat; assumption).
  exists ((M + 1) * r / c1). split; [apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; lra|exact Pc1]|].
  intros eps He. set (b := Rmin eps r). assert (Hb : 0 < b) by (apply Rmin_pos; assumption).
  assert (E1 : b <= eps) by apply Rmin_l. assert (E2 : b <= r) by apply Rmin_r.
  assert (Hcb : 0 < c1 * (b * b)) by (apply Rmult_lt_0_compat; [assumption|apply Rmult_lt_0_compat;
    assumption]).
  set (d := Rmin b (c1 * (b * b) / (M + 1))). assert (Hd : 0 < d) by (apply Rmin_pos;
    [assumption|apply Rdiv_lt_0_compat; lra]).
  assert (D1 : d <= b) by apply Rmin_l. assert (D2 : d <= c1 * (b * b) / (M + 1)) by apply Rmin_r.
  exists (d / N). split; [apply Rdiv_lt_0_compat; assumption|].
  intros Y T HT HMo Hleaf Hnear. destruct (wrap_motion _ _ _ _ _ HT HMo) as (XE & XC & XD & XQ).
  set (X := wrap Y T) in *. set (s := fun t => S1 n (off (vec e) (X t))).
  assert (Start : s 0 < d).
  { unfold s. rewrite XE by lra. eapply Rle_lt_trans; [apply (S1_lt n _ (d / N));
    [exact Hnear|apply Rdiv_lt_0_compat; assumption]|].
    apply Rlt_le_trans with (N * (d / N)); [|right; field; lra].
      apply Rmult_lt_compat_r; [apply Rdiv_lt_0_compat; assumption|unfold N; lra]. }
  assert (V0 : eval (X 0) V <= M * s 0).
  { eapply Rle_trans; [apply Rle_abs|]. rewrite (eval_near n e V (X 0) BV).
    specialize (HV3 (h_of e (X 0))). simpl in HV3. rewrite Rmult_1_r in HV3.
    apply HV3. unfold h_of. fold (s 0). lra. }
  assert (Key : forall t, 0 <= t <= T -> (forall u, 0 <= u <= t -> s u <= b) ->
    c1 * (s t * s t) <= M * s 0 * exp (- a * t)).
  { intros t Ht Hin. destruct (HAl Y T HT HMo Hleaf t Ht) as [HA1 HA2].
    { intros u Hu. fold X. fold (s u). specialize (Hin u Hu). lra. }
    fold X in HA1, HA2. assert (G : - eval (X 0) V * exp (- a * t) <= - eval (X t) V).
    { apply (grows (fun t => - eval (X t) V) (fun t => - eval (X t) (deriv (p_f P) V)) (- a) t); try lra.
      - intros v Hv. apply (continuity_pt_opp (fun t => eval (X t) V)).
        apply (eval_cont n); [intros i Hi; apply XC, Hi|exact BV|apply HA1, Hv].
      - intros v Hv. apply (derivable_pt_lim_opp (fun t => eval (X t) V)).
        apply (deriv_ok n); [intros i Hi; apply XD; [lra|exact Hi]|exact BV|].
        apply (proj2 (HA1 v ltac:(lra))).
      - intros v Hv. specialize (HA2 v Hv). unfold falls, Sub, Neg, mone in HA2. cbn [eval] in HA2.
        rewrite q2r_m1 in HA2. fold V a in HA2. lra. }
    assert (Lo : c * Q1 n (off (vec e) (X t)) <= eval (X t) V).
    { assert (Q := HPos (X t)). unfold Sub, Neg, mone in Q. cbn [eval] in Q. rewrite q2r_m1, dist2_ok in Q.
      fold c in Q.
      enough (0 <= eval (X t) V + -1 * (c * Q1 n (off (vec e) (X t)))) by lra. apply Q.
      - rewrite Nat.add_0_r. unfold ez. simpl. rewrite app_nil_r. fold (s t).
        assert (s t <= b) by (apply Hin; lra). lra.
      - intros g Hg. apply (proj1 (HA1 t ltac:(lra))), Hg. }
    assert (T1 := S1_Q1' n (off (vec e) (X t))). fold N in T1. fold (s t) in T1.
    assert (Q : c1 * (s t * s t) <= c * Q1 n (off (vec e) (X t))).
    { replace (c * Q1 n (off (vec e) (X t))) with (c1 * (N * Q1 n (off (vec e) (X t)))) by (unfold c1;
      field; lra). apply Rmult_le_compat_l; lra. }
    assert (Pe : 0 < exp (- a * t)) by apply exp_pos.
    assert (eval (X 0) V * exp (- a * t) <= M * s 0 * exp (- a * t)) by (apply Rmult_le_compat_r; lra). lra. }
  assert (P0 : 0 <= s 0) by apply S1_pos.
  assert (Ms : M * s 0 < c1 * (b * b)).
  { apply Rle_lt_trans with ((M + 1) * s 0); [apply Rmult_le_compat_r; lra|].
    apply Rlt_le_trans with ((M + 1) * (c1 * (b * b) / (M + 1))); [apply Rmult_lt_compat_l; lra|right;
      field; lra]. }
  assert (Main : forall t, 0 <= t <= T -> s t < b).
  { apply (trap s T b HT); [apply S1_cont; exact XC|lra|]. intros t Ht Hin. specialize (Key t Ht Hin).
    assert (Pt : 0 <= s t) by apply S1_pos. assert (Pe : exp (- a * t) <= 1).
    { rewrite <- exp_0. destruct (Req_dec (a * t) 0) as [Z|Z]; [right; f_equal; lra|]. left.
      apply exp_increasing.
      assert (0 <= a * t) by (apply Rmult_le_pos; lra). lra. }
    assert (M * s 0 * exp (- a * t) <= M * s 0 * 1) by (apply Rmult_le_compat_l; [apply Rmult_le_pos;
      lra|exact Pe]).
    destruct (Rlt_le_dec (s t) b) as [|K]; [assumption|exfalso].
    assert (b * b <= s t * s t) by (apply Rmult_le_compat; lra).
    assert (c1 * (b * b) <= c1 * (s t * s t)) by (apply Rmult_le_compat_l; lra). lra. }
  intros t Ht i Hi. assert (Hs : Rabs (Y t i - vec e i) <= s t).
  { unfold s. rewrite XE by exact Ht. apply (S1_ge n (off (vec e) (Y t)) i Hi). }
  split; [specialize (Main t Ht); lra|].
  assert (K := Key t Ht). assert (K' : c1 * (s t * s t) <= M * s 0 * exp (- a * t)).
  { apply K. intros u Hu. left. apply Main. lra. }
  replace ((Y t i - vec e i) * (Y t i - vec e i)) with (Rabs (Y t i - vec e i) * Rabs (Y t i - vec e i)) by
    (unfold Rabs; destruct Rcase_abs; ring).
  assert (Pt : 0 <= s t) by apply S1_pos. assert (Pa := Rabs_pos (Y t i - vec e i)).
  apply Rle_trans with (s t * s t); [apply Rmult_le_compat; assumption|].
  apply Rmult_le_reg_l with c1; [exact Pc1|]. eapply Rle_trans; [exact K'|].
  apply Rle_trans with ((M + 1) * r * exp (- a * t)); [|right; field; lra].
  apply Rmult_le_compat_r; [left; apply exp_pos|]. apply Rmult_le_compat; lra.
Qed.
End Over.
