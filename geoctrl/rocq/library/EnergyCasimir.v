(* Stability by the energy-Casimir test: a combination of what is kept, critical at the point, with a
   second variation that is definite once squares of what is kept are added. *)
From Coq Require Import Reals QArith Qreals Qreduction List Lra Lia Bool PeanoNat ZArith Classical_Prop.
From Geoctrl Require Import OneDimension Orders Expressions Derivative Fields Polynomials Identities Taylor
  Jets
  Definite Motions.
Import ListNotations.
Local Open Scope R_scope.

Section Over.
Context {FF : field}.

(* ---- Lyapunov's theorem ---- *)

Lemma lyapunov n (e : nat -> R) (W : (nat -> R) -> R) c r M : 0 < c -> 0 < r -> 0 <= M ->
  (forall h, S1 n h <= r -> c * (S1 n h * S1 n h) <= W h /\ W h <= M * S1 n h) ->
  forall eps, 0 < eps -> exists d, 0 < d /\ forall (Y : R -> nat -> R) T, 0 <= T ->
    (forall i, (i < n)%nat -> continuity (fun t => Y t i)) -> S1 n (off e (Y 0)) < d ->
    (forall t, 0 <= t <= T -> (forall s, 0 <= s <= t -> S1 n (off e (Y s)) <= r) ->
      W (off e (Y t)) <= W (off e (Y 0))) ->
    forall t, 0 <= t <= T -> S1 n (off e (Y t)) < eps.
Proof.
  intros Hc Hr HM HW eps He. set (b := Rmin eps r).
  assert (Hb : 0 < b) by (apply Rmin_pos; assumption).
  assert (B1 : b <= eps) by apply Rmin_l. assert (B2 : b <= r) by apply Rmin_r.
  assert (Hcb : 0 < c * (b * b)) by (apply Rmult_lt_0_compat; [assumption|apply Rmult_lt_0_compat;
    assumption]).
  exists (Rmin b (c * (b * b) / (M + 1))). split.
  { apply Rmin_pos; [assumption|]. apply Rdiv_lt_0_compat; lra. }
  intros Y T HT HC H0 Hdec t Ht.
  assert (D1 := Rmin_l b (c * (b * b) / (M + 1))). assert (D2 := Rmin_r b (c * (b * b) / (M + 1))).
  apply Rlt_le_trans with b; [|exact B1]. revert t Ht.
  apply (trap (fun t => S1 n (off e (Y t))) T b HT); [apply S1_cont; exact HC|lra|].
  intros t Ht Hs. assert (A : W (off e (Y t)) <= W (off e (Y 0))).
  { apply Hdec; [exact Ht|]. intros s Hs'. specialize (Hs s Hs'). lra. }
  assert (Ht' := Hs t). assert (H0' := Hs 0). set (s := S1 n (off e (Y t))) in *.
    set (s0 := S1 n (off e (Y 0))) in *.
  destruct (HW (off e (Y t))) as [L _]; [fold s; lra|]. destruct (HW (off e (Y 0))) as [_ U]; [fold s0; lra|].
  fold s in L. fold s0 in U. assert (P : 0 <= s) by apply S1_pos. assert (P0 : 0 <= s0) by apply S1_pos.
  assert (V : M * s0 < c * (b * b)).
  { apply Rle_lt_trans with ((M + 1) * s0); [apply Rmult_le_compat_r; lra|].
    replace (c * (b * b)) with ((M + 1) * (c * (b * b) / (M + 1))) by (field; lra).
    apply Rmult_lt_compat_l; lra. }
  destruct (Rlt_le_dec s b) as [|K]; [assumption|exfalso].
  assert (b * b <= s * s) by (apply Rmult_le_compat; lra).
  assert (c * (b * b) <= c * (s * s)) by (apply Rmult_le_compat_l; lra). lra.
Qed.

(* ---- energy-Casimir ---- *)
Definition item := (FF * expr * jet FF)%type.
Section EC.
Variables (n : nat) (e : list expr) (K c : Q) (w : squares) (l : list item).
Definition iq (i : item) := fst (fst i). Definition ie (i : item) := snd (fst i).
  Definition ij (i : item) := snd i.
Definition dev (h : nat -> R) (i : item) := eval (shift e h) (ie i) - eval (vec e) (ie i).
Definition W (h : nat -> R) : R := sumf (fun i => val (iq i) * dev h i + 2 * q2r K * (dev h i * dev h i)) l.
Definition critical : bool := pnil (sump (fun i => pscal (iq i) (jl (ij i))) l).
Definition second : poly FF := sump (fun i => padd (pscal (iq i) (jq (ij i))) (pscal (of_q K) (psq (jl (ij
  i))))) l.

Lemma W_bounds : (forall i, In i l -> jet_ok n e (ie i) (ij i)) -> critical = true ->
  positive_by n c w second = true ->
  Qle_bool 0 K = true ->
  exists c' r M, 0 < c' /\ 0 < r /\ 0 <= M /\ forall h, S1 n h <= r ->
    c' * (S1 n h * S1 n h) <= W h /\ W h <= M * S1 n h.
Proof.
  intros HJ HC HS HK. destruct (positive_by_ok _ _ _ _ HS) as [Pc HS']. apply q2r_le in HK.
    rewrite q2r_0 in HK.
  assert (HL : forall x, sumf (fun i => val (iq i) * peval x (jl (ij i))) l = 0).
  { intros x. apply (pnil_ok x) in HC. rewrite sump_ok in HC. rewrite <- HC. apply sumf_ext. intros.
    rewrite pscal_ok. reflexivity. }
  set (B := fun (i : item) h => dev h i - peval h (jl (ij i))).
  set (D := fun h => sumf (fun i => val (iq i) * rest e (ie i) (ij i) h + (-2 * q2r K) * (B i h * B i h)) l).
  assert (HB : forall i, In i l -> O_ n 2 (B i)).
  { intros i Hi. destruct (HJ i Hi) as (_ & _ & Q2 & R3 & _).
    apply (O_ext n 2 (fun h => peval h (jq (ij i)) + rest e (ie i) (ij i) h)); [intros;
      unfold B, dev, rest; ring|].
    apply O_add; [exact Q2|apply O_weak, R3]. }
  assert (HD : O_ n 3 D).
  { apply O_sumf. intros i Hi. destruct (HJ i Hi) as (_ & _ & _ & R3 & _). apply O_add; [apply O_scal, R3|].
    apply O_scal, O_weak, (O_mul n 2 2); apply HB, Hi. }
  assert (HW1 : O_ n 1 W).
  { apply O_sumf. intros i Hi. assert (U := jet_first _ _ _ _ (HJ i Hi)). apply O_add; [apply O_scal, U|].
    apply O_scal, O_weak, (O_mul n 1 1); exact U. }
  assert (Low : forall h, peval h second + D h <= W h).
  { intros h. unfold second. rewrite sump_ok. unfold D, W. rewrite <- sumf_add.
    set (lhs := sumf _ l). replace lhs with (lhs + sumf (fun i => val (iq i) * peval h (jl (ij i))) l) by
      (rewrite HL; ring).
    unfold lhs. rewrite <- sumf_add. apply sumf_le. intros i Hi. rewrite padd_ok, !pscal_ok, psq_ok, val_q.
    assert (E : dev h i = peval h (jl (ij i)) + B i h) by (unfold B; ring).
    assert (E2 : rest e (ie i) (ij i) h = B i h - peval h (jq (ij i))) by (unfold B, dev, rest; ring).
    rewrite E2, E. set (L := peval h (jl (ij i))). set (b := B i h). set (q := peval h (jq (ij i))).
      set (k := q2r K) in *.
    assert (0 <= k * ((L + 2 * b) * (L + 2 * b))) by (apply Rmult_le_pos; [lra|apply Rle_0_sqr]).
    lra. }
  set (N := INR n + 1). assert (PN : 0 < N) by (assert (P := pos_INR n); unfold N; lra).
  set (c1 := q2r c / N). assert (Pc1 : 0 < c1) by (apply Rdiv_lt_0_compat; assumption).
  destruct (cubic_small n (c1 / 2) D) as (r1 & Hr1 & HD1); [lra|exact HD|].
  destruct HW1 as (M & r2 & HM & Hr2 & HW1).
  exists (c1 / 2), (Rmin r1 r2), M. repeat split; [lra|apply Rmin_pos; assumption|assumption|..].
  - assert (A1 := Rmin_l r1 r2). specialize (HD1 h). specialize (Low h). specialize (HS' h).
    assert (T := S1_Q1' n h). fold N in T. assert (HDa : Rabs (D h) <= c1 / 2 * (S1 n h * S1 n h)) by (apply
      HD1; lra).
    assert (Q : c1 * (S1 n h * S1 n h) <= q2r c * Q1 n h).
    { replace (q2r c * Q1 n h) with (c1 * (N * Q1 n h)) by (unfold c1; field; lra).
      apply Rmult_le_compat_l; lra. }
    assert (- (c1 / 2 * (S1 n h * S1 n h)) <= D h) by (unfold Rabs in HDa; destruct Rcase_abs; lra). lra.
  - assert (A2 := Rmin_r r1 r2). specialize (HW1 h). simpl in HW1. rewrite Rmult_1_r in HW1.
    eapply Rle_trans; [apply Rle_abs|]. apply HW1. lra.
Qed.
End EC.

(* ---- the energy-Casimir test ---- *)
Record ec := EC {
  ec_n : nat; ec_m : nat; ec_f : list expr; ec_eqs : list expr; ec_e : list expr; ec_atoms : list expr;
  ec_leaf : list func; ec_inv : list func; ec_K : Q; ec_c : Q; ec_w : squares }.

Definition number (a : expr) : FF := match value FF a with Some q => q | None => of_q 0 end.
Definition item_of (C : ec) (F : func) : item :=
  (number (fmul F), fe F, match jet_of (ec_n C) (ec_e C) (fe F) with Some j => j | None => jet0 end).
Definition has_jet (C : ec) (a : expr) : bool :=
  below (ec_n C) a && match jet_of (ec_n C) (ec_e C) a with Some _ => true | None => false end.
Definition at_zero (C : ec) (a : expr) : bool :=
  match jet_of (ec_n C) (ec_e C) a with Some j => match jc j with Some q => is_zero q | None => false end
    | None => false end.
Definition ec_check (C : ec) : bool :=
  let n := ec_n C in let leaf := map fe (ec_leaf C) in let items := map (item_of C) (ec_leaf C ++ ec_inv C) in
  forallb (has_jet C) (ec_atoms C) && forallb (fun F => has_jet C (fe F)) (ec_leaf C ++ ec_inv C) &&
  forallb (fun F => at_zero C (fe F)) (ec_leaf C) &&
  forallb (fun F => kept n (ec_m C) (ec_f C) (ec_eqs C) (ec_atoms C) [] (fe F) (fcomb F)) (ec_leaf C) &&
  forallb (fun F => kept n (ec_m C) (ec_f C) (ec_eqs C) (ec_atoms C) leaf (fe F) (fcomb F)) (ec_inv C) &&
  critical items && Qle_bool 0 (ec_K C) && positive_by n (ec_c C) (ec_w C) (second (ec_K C) items).

Theorem energy_casimir C : ec_check C = true -> stable (ec_n C) (ec_f C) (ec_eqs C) (ec_e C) (map fe
  (ec_leaf C)).
Proof.
  unfold ec_check. set (n := ec_n C). set (e := ec_e C). set (atoms := ec_atoms C).
  set (leaf := map fe (ec_leaf C)). set (all := ec_leaf C ++ ec_inv C). intros H.
  repeat (apply andb_true_iff in H; let K := fresh "H" in destruct H as [H K]).
  rename H into Hat, H6 into Hjet, H5 into H0, H4 into Hkl, H3 into Hki, H2 into Hcrit, H1 into HK,
    H0 into Hpos.
  match goal with _ => idtac end.
  rewrite forallb_forall in Hat, Hjet, Hkl, Hki.
  assert (Jets : forall a, has_jet C a = true -> below n a = true /\ exists j, jet_of n e a = Some j).
  { intros a Ha. unfold has_jet in Ha. apply andb_true_iff in Ha. destruct Ha as [Hb Ha]. split; [exact Hb|].
    fold n e in Ha. destruct (jet_of n e a) as [j|]; [exists j; reflexivity|discriminate]. }
  set (items := map (item_of C) all) in *.
  destruct (W_bounds n e (ec_K C) (ec_c C) (ec_w C) items) as (c' & r & M & Hc' & Hr & HM & HW);
    try assumption.
  { intros i Hi. unfold items in Hi. apply in_map_iff in Hi. destruct Hi as (F & <- & HF).
    unfold item_of, ie, ij; simpl.
    destruct (Jets _ (Hjet F HF)) as (_ & j & Hj). fold n e. rewrite Hj. apply jet_of_ok, Hj. }
  destruct (all_fine n e (map fe all ++ atoms)) as (r2 & Hr2 & Hfine).
  { intros a Ha. apply in_app_iff in Ha. destruct Ha as [Ha|Ha].
    - apply in_map_iff in Ha. destruct Ha as (F & <- & HF). apply (Jets _ (Hjet F HF)).
    - apply (Jets _ (Hat a Ha)). }
  set (rr := Rmin r r2). assert (Hrr : 0 < rr) by (apply Rmin_pos; assumption).
  assert (R1 : rr <= r) by apply Rmin_l. assert (R2 : rr <= r2) by apply Rmin_r.
  intros eps He.
  destruct (lyapunov n (vec e) (W e (ec_K C) items) c' rr M Hc' Hrr HM) with (eps := eps) as (d & Hd & Stay).
  { intros h Hh. apply HW. lra. } { exact He. }
  set (N := INR n + 1). assert (PN : 0 < N) by (assert (P := pos_INR n); unfold N; lra).
  exists (d / N). split; [apply Rdiv_lt_0_compat; assumption|].
  intros Y T HT HM' Hleaf Hnear t Ht i Hi.
  set (X := fun t => Y (clamp T t)).
  assert (X0 : forall t, 0 <= t <= T -> X t = Y t) by (intros u Hu; unfold X; rewrite clamp_id by exact Hu;
    reflexivity).
  assert (XC : forall i, (i < n)%nat -> continuity (fun t => X t i)).
  { intros k Hk. apply (cont_clamp (fun t => Y t k) T HT). apply (m_cont _ _ _ _ _ HM'), Hk. }
  assert (XD : forall t, 0 < t < T -> forall i, (i < n)%nat ->
    derivable_pt_lim (fun s => X s i) t (eval (X t) (nth i (ec_f C) (Num 0)))).
  { intros u Hu k Hk. rewrite X0 by lra. apply (deriv_clamp (fun t => Y t k) T u); [exact Hu|].
    apply (m_der _ _ _ _ _ HM'); assumption. }
  assert (XE : forall t, 0 < t < T -> forall q, In q (ec_eqs C) -> eval (X t) q = 0).
  { intros u Hu q Hq. rewrite X0 by lra. apply (m_eqs _ _ _ _ _ HM' u Hu q Hq). }
  assert (Start : S1 n (off (vec e) (X 0)) < d).
  { rewrite X0 by lra. eapply Rle_lt_trans; [apply (S1_lt n _ (d / N));
    [exact Hnear|apply Rdiv_lt_0_compat; assumption]|].
    replace d with (N * (d / N)) at 2 by (field; lra). apply Rmult_lt_compat_r; [apply Rdiv_lt_0_compat;
      assumption|unfold N; lra]. }
  assert (Main : forall t, 0 <= t <= T -> S1 n (off (vec e) (X t)) < eps).
  { apply Stay; [exact HT|exact XC|exact Start|]. intros u Hu Hin.
    assert (FineX : forall s, 0 <= s <= u -> forall a, In a (map fe all ++ atoms) -> fine (X s) a).
    { intros s Hs a Ha. apply (fine_ext n (shift e (off (vec e) (X s)))); [intros; apply shift_off| |].
      - apply in_app_iff in Ha. destruct Ha as [Ha|Ha].
        + apply in_map_iff in Ha. destruct Ha as (F & <- & HF). apply (Jets _ (Hjet F HF)).
        + apply (Jets _ (Hat a Ha)).
      - apply Hfine; [specialize (Hin s Hs); lra|exact Ha]. }
    assert (Conv : forall lf F c, (forall s, 0 <= s <= u -> forall g, In g lf -> eval (X s) g = 0) ->
      In F all ->
              kept n (ec_m C) (ec_f C) (ec_eqs C) atoms lf (fe F) c = true -> forall s, 0 <= s <= u ->
                eval (X s) (fe F) = eval (X 0) (fe F)).
    { intros lf F c Hlf HF Hk s Hs.
      apply (kept_ok n (ec_m C) (ec_f C) (ec_eqs C) atoms lf (fe F) c X s Hk XC); try lra.
      - intros v Hv. apply XD; lra.
      - intros v Hv. apply XE; lra.
      - intros v Hv. apply Hlf; lra.
      - intros v Hv. split; [apply FineX; [lra|apply in_app_iff; left; apply in_map; exact HF]|].
        intros a Ha. apply FineX; [lra|apply in_app_iff; right; exact Ha]. }
    assert (Leaf0 : forall s, 0 <= s <= u -> forall g, In g leaf -> eval (X s) g = 0).
    { intros s Hs g Hg. unfold leaf in Hg. apply in_map_iff in Hg. destruct Hg as (F & <- & HF).
      rewrite (Conv [] F (fcomb F)) with (s := s); [|intros ? ? ? []|apply in_app_iff; left;
        exact HF|apply Hkl, HF|exact Hs].
      rewrite X0 by lra. apply Hleaf. apply in_map, HF. }
    assert (Same : forall F, In F all -> eval (X u) (fe F) = eval (X 0) (fe F)).
    { intros F HF. apply in_app_iff in HF. destruct HF as [HF|HF].
      - apply (Conv [] F (fcomb F)); [intros ? ? ? []|apply in_app_iff; left; exact HF|apply Hkl, HF|lra].
      - apply (Conv leaf F (fcomb F)); [exact Leaf0|apply in_app_iff; right; exact HF|apply Hki, HF|lra]. }
    right. unfold W. apply sumf_ext. intros i0 Hi0. unfold items in Hi0. apply in_map_iff in Hi0.
      destruct Hi0 as (F & <- & HF).
    assert (E : dev e (off (vec e) (X u)) (item_of C F) = dev e (off (vec e) (X 0)) (item_of C F)).
    { unfold dev. f_equal. unfold item_of, ie; simpl.
      assert (Bl : below n (fe F) = true) by apply (Jets _ (Hjet F HF)).
      rewrite (eval_ext n _ (X u) _ (fun i _ => shift_off e (X u) i) Bl).
      rewrite (eval_ext n _ (X 0) _ (fun i _ => shift_off e (X 0) i) Bl). apply Same, HF. }
    rewrite E. reflexivity. }
  eapply Rle_lt_trans; [|apply (Main t Ht)]. rewrite X0 by exact Ht. apply (S1_ge n (off (vec e) (Y t)) i Hi).
Qed.
End Over.
