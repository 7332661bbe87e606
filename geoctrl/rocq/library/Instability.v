(* Instability: V grows at a rate along all motions that stay near the point, and is positive along a curve
   of the leaf that begins there. *)
From Coq Require Import Reals QArith Qreals Qreduction List Lra Lia Bool PeanoNat ZArith Classical_Prop.
From Geoctrl Require Import OneDimension Orders Expressions Derivative Fields Polynomials Identities Taylor
  Jets
  Definite Motions EnergyCasimir Unknowns Rates Asymptotic.
Import ListNotations.
Local Open Scope R_scope.

Section Over.
Context {FF : field}.

(* ---- instability ---- *)
Definition unstable (n : nat) (f eqs : list expr) (e : list expr) (leaf : list expr) : Prop :=
  exists eps, 0 < eps /\ forall d, 0 < d -> exists x0 : nat -> R,
    (forall g, In g leaf -> eval x0 g = 0) /\ (forall i, (i < n)%nat -> Rabs (x0 i - vec e i) < d) /\
    exists T, 0 < T /\ forall Y, motion n f eqs Y T -> (forall i, (i < n)%nat -> Y 0 i = x0 i) ->
      exists t i, 0 <= t <= T /\ (i < n)%nat /\ eps <= Rabs (Y t i - vec e i).

Fixpoint subst (g : list expr) (a : expr) : expr :=
  match a with
  | Num q => Num q | Var i => nth i g (Num 0) | Add a b => Add (subst g a) (subst g b) | Mul a b => Mul
    (subst g a) (subst g b)
  | Inv a => Inv (subst g a) | Fun h a => Fun h (subst g a)
  end.
Lemma subst_ok x g a : eval x (subst g a) = eval (fun i => eval x (nth i g (Num 0))) a.
Proof. induction a; simpl; congruence. Qed.

Record curve := Curve { k_at : list expr; k_atoms : list expr; k_combs : list combo; k_v : Q }.
Definition grows_by (D : rate) (f : list expr) : expr := Sub (deriv f (r_V D)) (Mul (Num (r_a D)) (r_V D)).
Definition zero1 := [Num 0].
Fixpoint on_leaf (k : curve) (leaf : list expr) (cs : list combo) : bool :=
  match leaf, cs with
  | [], _ => true
  | g :: leaf', c :: cs' => vanishes 1 (k_atoms k) (Sub (subst (k_at k) g) (comb [] (k_atoms k) [] c)) &&
    on_leaf k leaf' cs'
  | _, [] => false
  end.
Fixpoint begins (k : list expr) (e : list expr) : bool :=
  match k, e with [], [] => true | a :: k', q :: e' => zero_at 1 zero1 (Sub a (ground q)) && begins k' e' | _,
    _ => false end.
Definition curve_check (P : plant) (D : rate) (k : curve) : bool :=
  let v := subst (k_at k) (r_V D) in
  begins (k_at k) (p_e P) && forallb (has_jet_at 1 zero1) (k_atoms k) &&
    on_leaf k (map fe (p_leaf P)) (k_combs k) &&
  zero_at 1 zero1 v && match jet_of 1 zero1 v with Some j => pnil (jl j) &&
    positive_by 1 (k_v k) [] (jq j) | None => false end.
Definition un_check (P : plant) (D : rate) (k : curve) : bool :=
  plant_check P && rate_check P (grows_by D (p_f P)) D && negb (Qle_bool (r_a D) 0) && curve_check P D k.

Lemma at_s a s : below 1 a = true -> eval (shift zero1 (fun _ => s)) a = eval (fun _ => s) a.
Proof.
  intros B. apply (eval_ext 1); [|exact B]. intros i Hi. unfold shift, vec, zero1. replace i with O by lia.
    simpl. rewrite q2r_0. ring.
Qed.
Lemma begins_ok k : forall e, begins k e = true -> forall d, 0 < d ->
  exists s0, 0 < s0 /\ forall s, 0 < s <= s0 ->
  forall i, (i < length e)%nat -> Rabs (eval (fun _ => s) (nth i k (Num 0)) - vec e i) < d.
Proof.
  induction k as [|a k IH]; destruct e as [|q e]; simpl; try discriminate; intros H d Hd.
  { exists 1. split; [lra|]. intros; lia. }
  apply andb_true_iff in H. destruct H as [Ha Hk]. destruct (IH e Hk d Hd) as (s0 & Hs0 & K).
  destruct (zero_at_O _ _ _ Ha) as [B U]. destruct (O_small 1 _ d U Hd) as (r & Hr & Hs).
  exists (Rmin s0 r). split; [apply Rmin_pos; assumption|]. intros s Hs'. assert (A1 := Rmin_l s0 r).
    assert (A2 := Rmin_r s0 r).
  intros [|i] Hi; [|apply K; [lra|lia]]. assert (S1s : S1 1 (fun _ => s) = s) by (simpl;
    rewrite Rabs_right; lra).
  specialize (Hs (fun _ => s)). rewrite S1s, at_s in Hs by exact B. unfold Sub, Neg, mone in Hs.
    cbn [eval] in Hs. rewrite q2r_m1 in Hs. change (ground q) with (coordinate (q :: e) 0) in Hs.
  rewrite coordinate_ok in Hs. set (v := vec (q :: e) 0) in *.
  replace (eval (fun _ => s) a + -1 * v) with (eval (fun _ => s) a - v) in Hs by ring. apply Hs. lra.
Qed.
Lemma on_leaf_ok k x : (forall a, In a (k_atoms k) -> fine x a) -> forall leaf cs, on_leaf k leaf cs = true ->
  forall g, In g leaf -> eval x (subst (k_at k) g) = 0.
Proof.
  intros HF. induction leaf as [|g leaf IH]; intros cs H; [intros g []|].
    destruct cs as [|c cs]; [discriminate|].
  simpl in H. apply andb_true_iff in H. destruct H as [Hv Hl]. intros g' [<-|Hg]; [|apply (IH cs Hl g' Hg)].
  apply (vanishes_ok _ _ x _ HF) in Hv. unfold Sub, Neg, mone in Hv. cbn [eval] in Hv. rewrite q2r_m1 in Hv.
  rewrite (comb_zero [] (k_atoms k) x [] c) in Hv; [lra|intros ? []|intros ? []|exact HF].
Qed.

Theorem instability P D k : un_check P D k = true -> unstable (p_n P) (p_f P) (p_eqs P) (p_e P) (map fe
  (p_leaf P)).
Proof.
  unfold un_check. intros H. apply andb_true_iff in H. destruct H as [H HK]. apply andb_true_iff in H.
    destruct H as [H HA].
  apply andb_true_iff in H. destruct H as [HP HR]. apply negb_true_iff in HA. apply q2r_pos in HA.
  destruct (along P (grows_by D (p_f P)) D HP HR) as (r1 & Hr1 & HAl).
  assert (Hlen : length (p_e P) = p_n P).
  { unfold plant_check in HP. repeat (apply andb_true_iff in HP; destruct HP as [HP _]).
    apply Nat.eqb_eq in HP. exact HP. }
  set (n := p_n P) in *. set (e := p_e P) in *. set (V := r_V D) in *. set (a := q2r (r_a D)) in *.
  assert (HV : zero_at n e V = true) by (unfold rate_check in HR; apply andb_true_iff in HR; tauto).
  destruct (zero_at_O _ _ _ HV) as [BV (M & r3 & HM & Hr3 & HV3)].
  unfold curve_check in HK. apply andb_true_iff in HK. destruct HK as [HK HJ]. apply andb_true_iff in HK.
    destruct HK as [HK HZ].
  apply andb_true_iff in HK. destruct HK as [HK HO]. apply andb_true_iff in HK. destruct HK as [HB HF].
  destruct (has_jet_at_fine 1 zero1 (k_atoms k) HF) as (r4 & Hr4 & Hfine).
  fold V in HJ, HZ. set (v := subst (k_at k) V) in *. destruct (zero_at_O _ _ _ HZ) as [Bv _].
  destruct (jet_of 1 zero1 v) as [j|] eqn:Ej; [|discriminate]. apply andb_true_iff in HJ.
    destruct HJ as [HJL HJQ].
  assert (Hv0 : eval (vec zero1) v = 0).
  { unfold zero_at in HZ. rewrite Ej in HZ. apply andb_true_iff in HZ. destruct HZ as [_ HZ].
    destruct (jc j) as [q|] eqn:Ec; [|discriminate].
    apply jet_of_ok in Ej. destruct Ej as (E0 & _). rewrite (E0 q Ec). apply (val_zero FF), HZ. }
  apply jet_of_ok in Ej. destruct Ej as (_ & _ & _ & R3 & _).
  destruct (positive_by_ok _ _ _ _ HJQ) as [Pk Hk]. set (kv := q2r (k_v k)) in *.
  destruct (cubic_small 1 (kv / 2) _ ltac:(lra) R3) as (r5 & Hr5 & HR5).
  assert (Vpos : forall s, 0 < s <= r5 -> 0 < eval (fun _ => s) v).
  { intros s Hs. assert (S1s : S1 1 (fun _ => s) = s) by (simpl; rewrite Rabs_right; lra).
    specialize (HR5 (fun _ => s)). rewrite S1s in HR5. specialize (Hk (fun _ => s)). simpl in Hk.
    unfold rest in HR5. rewrite (at_s v s Bv), Hv0, (pnil_ok _ _ HJL) in HR5.
    assert (0 < s * s) by (apply Rmult_lt_0_compat; lra).
      assert (0 < kv * (s * s)) by (apply Rmult_lt_0_compat; lra).
    assert (Q : Rabs (eval (fun _ => s) v - 0 - 0 - peval (fun _ => s) (jq j)) <= kv / 2 * (s * s)) by
      (apply HR5; lra).
    assert (- (kv / 2 * (s * s)) <= eval (fun _ => s) v - 0 - 0 - peval (fun _ => s) (jq j)) by (unfold Rabs
      in Q; destruct Rcase_abs; lra). lra. }
  set (r := Rmin r1 r3). assert (Hr : 0 < r) by (apply Rmin_pos; assumption).
  assert (B1 : r <= r1) by apply Rmin_l. assert (B2 : r <= r3) by apply Rmin_r.
  set (N := INR n + 1). assert (PN : 0 < N) by (assert (Q := pos_INR n); unfold N; lra).
  exists (r / N). split; [apply Rdiv_lt_0_compat; assumption|]. intros d Hd.
  destruct (begins_ok _ _ HB d Hd) as (s0 & Hs0 & Hbeg).
  set (s := Rmin s0 (Rmin r4 r5)). assert (Hs : 0 < s) by (repeat apply Rmin_pos; assumption).
  assert (C1 : s <= s0) by apply Rmin_l. assert (C2 : s <= Rmin r4 r5) by apply Rmin_r.
  assert (C3 : Rmin r4 r5 <= r4) by apply Rmin_l. assert (C4 : Rmin r4 r5 <= r5) by apply Rmin_r.
  set (x0 := fun i => eval (fun _ => s) (nth i (k_at k) (Num 0))).
  assert (Leaf0 : forall g, In g (map fe (p_leaf P)) -> eval x0 g = 0).
  { intros g Hg. unfold x0. rewrite <- subst_ok. apply (on_leaf_ok k (fun _ => s)) with (leaf := map fe
    (p_leaf P)) (cs := k_combs k); try assumption.
    intros b Hb. apply Hfine; [|exact Hb].
    replace (S1 1 (off (vec zero1) (fun _ => s))) with s; [lra|]. simpl. unfold off, vec, zero1; simpl.
      rewrite q2r_0, Rabs_right; lra. }
  assert (V0 : 0 < eval x0 V). { unfold x0. rewrite <- subst_ok. apply Vpos. lra. }
  exists x0. split; [exact Leaf0|]. split; [intros i Hi; apply Hbeg; [lra|change (i < length e)%nat;
    rewrite Hlen; exact Hi]|].
  set (T := (M * r + 1) / (a * eval x0 V)). assert (PaV : 0 < a * eval x0 V) by (apply Rmult_lt_0_compat;
    assumption).
  assert (PMr : 0 <= M * r) by (apply Rmult_le_pos; lra).
  assert (HT : 0 < T) by (apply Rdiv_lt_0_compat; lra).
  exists T. split; [exact HT|]. intros Y HMo HY0. apply NNPP. intros Hno.
  assert (Near : forall t, 0 <= t <= T -> forall i, (i < n)%nat -> Rabs (Y t i - vec e i) < r / N).
  { intros t Ht i Hi. destruct (Rlt_le_dec (Rabs (Y t i - vec e i)) (r / N)) as [|G]; [assumption|exfalso].
    apply Hno. exists t, i. tauto. }
  destruct (wrap_motion _ _ _ _ _ (Rlt_le _ _ HT) HMo) as (XE & XC & XD & XQ). set (X := wrap Y T) in *.
  assert (In_r : forall t, 0 <= t <= T -> S1 n (off (vec e) (X t)) <= r).
  { intros t Ht. rewrite XE by exact Ht. eapply Rle_trans; [apply (S1_lt n _ (r / N));
    [apply Near, Ht|apply Rdiv_lt_0_compat; assumption]|].
    apply Rle_trans with (N * (r / N)); [|right; field; lra].
      apply Rmult_le_compat_r; [left; apply Rdiv_lt_0_compat; assumption|unfold N; lra]. }
  assert (Y0V : forall g, below n g = true -> eval (Y 0) g = eval x0 g) by (intros g Bg;
    apply (eval_ext n); assumption).
  destruct (HAl Y T (Rlt_le _ _ HT) HMo) with (u := T) as [HA1 HA2]; try lra.
  { intros g Hg. rewrite Y0V; [apply Leaf0, Hg|]. unfold plant_check in HP.
    apply andb_true_iff in HP; destruct HP as [HP _]. apply andb_true_iff in HP; destruct HP as [HP _].
    apply andb_true_iff in HP; destruct HP as [_ HP]. rewrite forallb_forall in HP. apply in_map_iff in Hg.
      destruct Hg as (F & <- & HF').
    specialize (HP F HF'). unfold zero_at in HP. apply andb_true_iff in HP. apply HP. }
  { intros u Hu. apply Rle_trans with r; [apply In_r, Hu|exact B1]. }
  fold X in HA1, HA2. assert (G : eval (X 0) V * exp (a * T) <= eval (X T) V).
  { apply (grows (fun t => eval (X t) V) (fun t => eval (X t) (deriv (p_f P) V)) a T); try lra.
    - intros u Hu. apply (eval_cont n); [intros i Hi; apply XC, Hi|exact BV|apply HA1, Hu].
    - intros u Hu. apply (deriv_ok n); [intros i Hi; apply XD;
      [lra|exact Hi]|exact BV|apply (proj2 (HA1 u ltac:(lra)))].
    - intros u Hu. specialize (HA2 u Hu). unfold grows_by, Sub, Neg, mone in HA2. cbn [eval] in HA2.
      rewrite q2r_m1 in HA2. fold V a in HA2. lra. }
  rewrite (XE 0) in G by lra. rewrite Y0V in G by exact BV.
  assert (Top : eval (X T) V <= M * r).
  { eapply Rle_trans; [apply Rle_abs|]. rewrite (eval_near n e V (X T) BV).
    specialize (HV3 (h_of e (X T))). simpl in HV3. rewrite Rmult_1_r in HV3.
    assert (Q := In_r T ltac:(lra)). eapply Rle_trans; [apply HV3; unfold h_of; lra|].
      apply Rmult_le_compat_l; [assumption|exact Q]. }
  assert (Ex : 1 + a * T <= exp (a * T)). { left. apply exp_ineq1.
    assert (0 < a * T) by (apply Rmult_lt_0_compat; assumption). lra. }
  assert (eval x0 V * (1 + a * T) <= eval x0 V * exp (a * T)) by (apply Rmult_le_compat_l; lra).
  assert (EaT : eval x0 V * (1 + a * T) = eval x0 V + (M * r + 1)) by (unfold T; field; lra). lra.
Qed.
End Over.
