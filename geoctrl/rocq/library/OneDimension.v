(* Functions of one real variable: continuity on an interval, the mean value theorem, what never reaches a
   bound, and growth at a rate. *)
From Coq Require Import Reals QArith Qreals Qreduction List Lra Lia Bool PeanoNat ZArith Classical_Prop.
Import ListNotations.
Local Open Scope R_scope.

(* ---- one dimension ---- *)
Definition cont_on (x : R -> R) (T : R) : Prop :=
  forall t, 0 <= t <= T -> forall eps, 0 < eps ->
  exists d, 0 < d /\ forall s, 0 <= s <= T -> Rabs (s - t) < d -> Rabs (x s - x t) < eps.

Definition clamp (T t : R) : R := Rmax 0 (Rmin T t).

Lemma clamp_in T t : 0 <= T -> 0 <= clamp T t <= T.
Proof. intros; unfold clamp, Rmax, Rmin; repeat destruct Rle_dec; lra. Qed.
Lemma clamp_id T t : 0 <= t <= T -> clamp T t = t.
Proof. intros; unfold clamp, Rmax, Rmin; repeat destruct Rle_dec; lra. Qed.
Lemma clamp_lip T s t : 0 <= T -> Rabs (clamp T s - clamp T t) <= Rabs (s - t).
Proof. intros; unfold clamp, Rmax, Rmin; repeat destruct Rle_dec; unfold Rabs; repeat destruct Rcase_abs;
  lra. Qed.

Lemma cont_clamp x T : 0 <= T -> cont_on x T -> continuity (fun t => x (clamp T t)).
Proof.
  intros HT H t eps He.
  destruct (H (clamp T t) (clamp_in T t HT) eps He) as (d & Hd & K).
  exists d; split; [exact Hd|]. intros s [_ Hs]. simpl in *. unfold R_dist in *.
  apply K; [apply clamp_in; exact HT|]. eapply Rle_lt_trans; [apply clamp_lip; exact HT|exact Hs].
Qed.

Lemma deriv_clamp x T t l : 0 < t < T -> derivable_pt_lim x t l ->
  derivable_pt_lim (fun t => x (clamp T t)) t l.
Proof.
  intros Ht H eps He. destruct (H eps He) as [d K].
  assert (Hm : 0 < Rmin d (Rmin t (T - t))).
  { apply Rmin_pos; [apply cond_pos|apply Rmin_pos; lra]. }
  exists (mkposreal _ Hm). intros h Hh0 Hh. simpl in Hh.
  assert (Rabs h < d) by (eapply Rlt_le_trans; [exact Hh|apply Rmin_l]).
  assert (Hh2 : Rabs h < Rmin t (T - t)) by (eapply Rlt_le_trans; [exact Hh|apply Rmin_r]).
  assert (Rabs h < t) by (eapply Rlt_le_trans; [exact Hh2|apply Rmin_l]).
  assert (Rabs h < T - t) by (eapply Rlt_le_trans; [exact Hh2|apply Rmin_r]).
  assert (- h <= Rabs h) by (rewrite <- Rabs_Ropp; apply Rle_abs).
  assert (h <= Rabs h) by apply Rle_abs.
  rewrite !clamp_id by lra. apply K; assumption.
Qed.

Lemma mvt f f' a b : a < b -> (forall c, a <= c <= b -> continuity_pt f c) ->
  (forall c, a < c < b -> derivable_pt_lim f c (f' c)) -> exists c, a < c < b /\ f b - f a = f' c * (b - a).
Proof.
  intros Hab Hc Hd.
  pose (p1 := fun c (P : a < c < b) => exist (fun l => derivable_pt_lim f c l) (f' c) (Hd c P) :
    derivable_pt f c).
  pose (p2 := fun c (P : a < c < b) => derivable_pt_id c).
  destruct (MVT f id a b p1 p2 Hab Hc) as (c & P & E).
  { intros; apply derivable_continuous_pt, derivable_pt_id. }
  exists c; split; [exact P|].
  replace (derive_pt f c (p1 c P)) with (f' c) in E by reflexivity.
  assert (E2 : derive_pt id c (p2 c P) = 1) by apply derive_pt_id.
  rewrite E2 in E. unfold id in E. lra.
Qed.

Lemma decreases f f' T : (forall c, 0 <= c <= T -> continuity_pt f c) ->
  (forall c, 0 < c < T -> derivable_pt_lim f c (f' c)) -> (forall c, 0 < c < T -> f' c <= 0) ->
  0 <= T -> f T <= f 0.
Proof.
  intros Hc Hd Hn HT. destruct (Req_dec T 0) as [->|]; [lra|].
  destruct (mvt f f' 0 T) as (c & P & E); [lra|exact Hc|exact Hd|].
  specialize (Hn c P). assert (f' c * (T - 0) <= 0); [|lra].
  assert (0 <= - f' c * T) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma constant f f' T : (forall c, 0 <= c <= T -> continuity_pt f c) ->
  (forall c, 0 < c < T -> derivable_pt_lim f c (f' c)) -> (forall c, 0 < c < T -> f' c = 0) ->
  0 <= T -> f T = f 0.
Proof.
  intros Hc Hd Hn HT. destruct (Req_dec T 0) as [->|]; [lra|].
  destruct (mvt f f' 0 T) as (c & P & E); [lra|exact Hc|exact Hd|].
  rewrite (Hn c P) in E. lra.
Qed.

Lemma trap D T eps : 0 <= T -> continuity D -> D 0 < eps ->
  (forall t, 0 <= t <= T -> (forall s, 0 <= s <= t -> D s <= eps) -> D t < eps) ->
  forall t, 0 <= t <= T -> D t < eps.
Proof.
  intros HT Hc H0 Hstep.
  pose (E := fun u => 0 <= u <= T /\ forall s, 0 <= s <= u -> D s <= eps).
  assert (E0 : E 0). { split; [lra|]. intros s Hs. replace s with 0 by lra. lra. }
  destruct (completeness E) as [m [Hub Hlub]].
  { exists T. intros u [Hu _]. lra. }
  { exists 0; exact E0. }
  assert (Hm0 : 0 <= m) by (apply Hub; exact E0).
  assert (HmT : m <= T) by (apply Hlub; intros u [Hu _]; lra).
  assert (Hbelow : forall s, 0 <= s -> s < m -> D s <= eps).
  { intros s Hs Hsm. destruct (Rle_dec (D s) eps) as [|Hn]; [assumption|exfalso].
    assert (m <= s); [|lra]. apply Hlub. intros u [Hu Ku].
    destruct (Rle_dec u s); [assumption|]. exfalso. apply Hn, Ku. lra. }
  assert (Hat : D m <= eps).
  { destruct (Rle_dec (D m) eps) as [|Hn]; [assumption|exfalso].
    destruct (Req_dec m 0) as [->|Hmz]; [lra|].
    destruct (Hc m (D m - eps)) as (d & Hd & K); [lra|]. simpl in K. unfold R_dist in K.
    pose (s := m - Rmin (d / 2) (m / 2)).
    assert (0 < Rmin (d/2) (m/2)) by (apply Rmin_pos; lra).
    assert (Rmin (d/2) (m/2) <= d/2) by apply Rmin_l.
    assert (Rmin (d/2) (m/2) <= m/2) by apply Rmin_r.
    assert (Ks : Rabs (D s - D m) < D m - eps).
    { apply K. split; [split; [exact I|unfold s; lra]|]. unfold s. rewrite Rabs_left; lra. }
    assert (D s <= eps) by (apply Hbelow; unfold s; lra).
    unfold Rabs in Ks; destruct Rcase_abs; lra. }
  assert (Hall : forall s, 0 <= s <= m -> D s <= eps).
  { intros s Hs. destruct (Req_dec s m) as [->|]; [exact Hat|]. apply Hbelow; lra. }
  assert (Hlt : D m < eps) by (apply Hstep; [lra|exact Hall]).
  assert (m = T).
  { destruct (Req_dec m T) as [|Hne]; [assumption|exfalso].
    destruct (Hc m (eps - D m)) as (d & Hd & K); [lra|]. simpl in K. unfold R_dist in K.
    pose (g := Rmin (d / 2) (T - m)).
    assert (0 < g) by (apply Rmin_pos; lra).
    assert (g <= d/2) by apply Rmin_l. assert (g <= T - m) by apply Rmin_r.
    assert (Hu : E (m + g)).
    { split; [lra|]. intros s Hs. destruct (Rle_dec s m); [apply Hall; lra|].
      assert (Ks : Rabs (D s - D m) < eps - D m).
      { apply K. split; [split; [exact I|lra]|]. rewrite Rabs_right; lra. }
      unfold Rabs in Ks; destruct Rcase_abs; lra. }
    apply Hub in Hu. lra. }
  intros t Ht. apply Hstep; [exact Ht|]. intros s Hs. apply Hall. lra.
Qed.

(* ---- growth at a rate ---- *)
Lemma grows (v v' : R -> R) a T : 0 <= T -> (forall t, 0 <= t <= T -> continuity_pt v t) ->
  (forall t, 0 < t < T -> derivable_pt_lim v t (v' t)) -> (forall t, 0 < t < T -> a * v t <= v' t) ->
  v 0 * exp (a * T) <= v T.
Proof.
  intros HT HC HD HG. set (g := fun t => - v t * exp (- a * t)).
  assert (EC : continuity (fun t => exp (- a * t))).
  { intros t. apply derivable_continuous_pt. exists (exp (- a * t) * (0 * t + - a * 1)).
    apply (derivable_pt_lim_comp (fun t => - a * t) exp); [|apply derivable_pt_lim_exp].
    apply (derivable_pt_lim_mult (fun _ => - a) id); [apply derivable_pt_lim_const|apply
      derivable_pt_lim_id]. }
  assert (K : g T <= g 0).
  { apply (decreases g (fun t => - v' t * exp (- a * t) + - v t * (exp (- a * t) * (0 * t + - a * 1))));
    [..|exact HT].
    - intros t Ht. apply (continuity_pt_mult (fun t => - v t) (fun t => exp (- a * t))); [|apply EC].
      apply (continuity_pt_opp v). apply HC, Ht.
    - intros t Ht. apply (derivable_pt_lim_mult (fun t => - v t) (fun t => exp (- a * t))).
      + apply (derivable_pt_lim_opp v). apply HD, Ht.
      + apply (derivable_pt_lim_comp (fun t => - a * t) exp); [|apply derivable_pt_lim_exp].
        apply (derivable_pt_lim_mult (fun _ => - a) id); [apply derivable_pt_lim_const|apply
          derivable_pt_lim_id].
    - intros t Ht. specialize (HG t Ht). assert (P : 0 < exp (- a * t)) by apply exp_pos.
      replace (- v' t * exp (- a * t) + - v t * (exp (- a * t) * (0 * t + - a * 1)))
        with (- ((v' t - a * v t) * exp (- a * t))) by ring.
      assert (0 <= (v' t - a * v t) * exp (- a * t)) by (apply Rmult_le_pos; lra). lra. }
  unfold g in K. rewrite Rmult_0_r, exp_0 in K.
  assert (P : 0 < exp (a * T)) by apply exp_pos.
  assert (E : exp (- a * T) * exp (a * T) = 1). { rewrite <- exp_plus.
    replace (- a * T + a * T) with 0 by ring. apply exp_0. }
  apply Rmult_le_compat_r with (r := exp (a * T)) in K; [|lra].
  replace (- v T * exp (- a * T) * exp (a * T)) with (- v T * (exp (- a * T) * exp (a * T))) in K by ring.
    rewrite E in K. lra.
Qed.
