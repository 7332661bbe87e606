(* Stability where V falls on each level set of the functions that are kept. *)
From Coq Require Import Reals QArith Qreals Qreduction List Lra Lia Bool PeanoNat ZArith Classical_Prop.
From Geoctrl Require Import OneDimension Orders Expressions Derivative Fields Polynomials Identities Taylor
  Jets
  Definite Motions EnergyCasimir Unknowns Rates Asymptotic Instability.
Import ListNotations.
Local Open Scope R_scope.

Section Over.
Context {FF : field}.

(* ---- what is positive where functions have their values is bounded below by the squares of their changes
  ---- *)
Section Soft.
Variables (n m : nat) (e : list expr) (us : list unknown) (K c : Q) (w : squares) (U : expr) (all : list
  expr).
Let z := ez e us.
Definition change (y : nat -> R) (a : expr) : R := eval y a - eval (vec z) a.
Definition soft_check : bool :=
  zero_at (n + m) z U && pnil (jl (jet_at n m e us U)) && forallb (has_jet_at (n + m) z) all &&
    Qle_bool 0 K &&
  positive_by (n + m) c w (padd (jq (jet_at n m e us U)) (pscal (of_q K) (sump (fun a => psq (jl (jet_at n m
    e us
    a))) all))).
Lemma soft_near : soft_check = true -> 0 <= q2r K /\
  exists r, 0 < r /\ forall y, S1 (n + m) (off (vec z) y) <= r ->
    - (2 * q2r K * sumf (fun a => change y a * change y a) all) <= eval y U.
Proof.
  unfold soft_check. intros H. apply andb_true_iff in H. destruct H as [H HP]. apply andb_true_iff in H.
    destruct H as [H HK].
  apply andb_true_iff in H. destruct H as [H HC]. apply andb_true_iff in H. destruct H as [HU HL].
  destruct (zero_at_jet n m e us U HU) as (BU & JU & EU). rewrite forallb_forall in HC.
  destruct (positive_by_ok _ _ _ _ HP) as [Pc HS]. apply q2r_le in HK. rewrite q2r_0 in HK.
    split; [exact HK|].
  assert (HJ : forall a, In a all -> below (n + m) a = true /\ jet_ok (n + m) z a (jet_at n m e us a)).
  { intros a Ha. specialize (HC a Ha). unfold has_jet_at in HC. apply andb_true_iff in HC.
    destruct HC as [B HC]. split; [exact B|].
    unfold jet_at. fold z. destruct (jet_of (n + m) z a) as [j|] eqn:E; [|discriminate]. apply jet_of_ok, E. }
  set (B := fun a h => peval h (jq (jet_at n m e us a)) + rest z a (jet_at n m e us a) h).
  set (D := fun h => rest z U (jet_at n m e us U) h + - (2 * q2r K) * sumf (fun a => B a h * B a h) all).
  assert (HD : O_ (n + m) 3 D).
  { apply O_add; [apply JU|]. apply O_scal. apply (O_sumf (n + m) 3 (fun a h => B a h * B a h)). intros a Ha.
    destruct (HJ a Ha) as (_ & _ & _ & Q2 & R3 & _).
    assert (HB : O_ (n + m) 2 (B a)) by (apply O_add; [exact Q2|apply O_weak, R3]).
    apply O_weak, (O_mul (n + m) 2 2); exact HB. }
  set (N := INR (n + m) + 1). assert (PN : 0 < N) by (assert (P := pos_INR (n + m)); unfold N; lra).
  set (c1 := q2r c / N). assert (Pc1 : 0 < c1) by (apply Rdiv_lt_0_compat; assumption).
  destruct (cubic_small (n + m) c1 D Pc1 HD) as (r & Hr & HDr). exists r. split; [exact Hr|]. intros y Hy.
  set (h := off (vec z) y) in *.
  assert (Ey : forall a, below (n + m) a = true -> eval y a = eval (shift z h) a).
  { intros a Ba. symmetry. apply (eval_ext (n + m)); [intros; apply shift_off|exact Ba]. }
  assert (EU' : eval y U = peval h (jq (jet_at n m e us U)) + rest z U (jet_at n m e us U) h).
  { unfold rest. rewrite <- (Ey U BU). fold z in EU. rewrite EU, (pnil_ok h _ HL). ring. }
  assert (ES : sumf (fun a => peval h (psq (jl (jet_at n m e us a)))) all <=
               2 * sumf (fun a => change y a * change y a) all + 2 * sumf (fun a => B a h * B a h) all).
  { rewrite <- !sumf_scal, <- sumf_add. apply sumf_le. intros a Ha. destruct (HJ a Ha) as (Ba & _).
    rewrite psq_ok.
    assert (E : peval h (jl (jet_at n m e us a)) = change y a - B a h).
    { unfold B, rest, change. rewrite <- (Ey a Ba). ring. }
    rewrite E. assert (0 <= (change y a + B a h) * (change y a + B a h)) by apply Rle_0_sqr. lra. }
  specialize (HS h). rewrite padd_ok, pscal_ok, val_q, sump_ok in HS.
  specialize (HDr h Hy). assert (T := S1_Q1' (n + m) h). fold N in T.
  assert (Q : c1 * (S1 (n + m) h * S1 (n + m) h) <= q2r c * Q1 (n + m) h).
  { replace (q2r c * Q1 (n + m) h) with (c1 * (N * Q1 (n + m) h)) by (unfold c1; field; lra).
    apply Rmult_le_compat_l; lra. }
  assert (- (c1 * (S1 (n + m) h * S1 (n + m) h)) <= D h) by (unfold Rabs in HDr; destruct Rcase_abs; lra).
  apply (Rmult_le_compat_l (q2r K)) in ES; [|exact HK].
  rewrite EU'. unfold D in H. lra.
Qed.
End Soft.

(* ---- stability where a quadratic function falls on every level set of conserved functions ---- *)
Record levels := Levels { l_inv : list func; l_c : Q; l_K : Q; l_k : Q; l_w : squares }.
Definition level_exprs (P : plant) (L : levels) := map fe (p_leaf P) ++ map fe (l_inv L).
Definition lv_check (P : plant) (D : rate) (L : levels) : bool :=
  plant_check P && zero_at (p_n P) (p_e P) (r_V D) && negb (Qle_bool (r_a D) 0) &&
    negb (Qle_bool (l_c L) 0) &&
  forallb (has_jet_at (p_n P) (p_e P)) (map fe (l_inv L)) &&
    forallb (zero_at (p_n P + p_m P) (ez (p_e P) (p_us P))) (p_eqs P) &&
  forallb (fun F => kept (p_n P) (p_m P) (p_f P) (p_eqs P) (p_atoms P) (map fe (p_leaf P)) (fe F) (fcomb F))
    (l_inv L) &&
  soft_check (p_n P) (p_m P) (p_e P) (p_us P) (r_K D) (r_c D) (r_w D) (falls D (p_f P)) (p_eqs P ++
    level_exprs P L) &&
  soft_check (p_n P) 0 (p_e P) [] (l_K L) (l_k L) (l_w L) (Sub (r_V D) (Mul (Num (l_c L)) (dist2 (p_e P)
    (p_n P)))) (level_exprs P L).

Lemma sumf_app {A} (g : A -> R) l k : sumf g (l ++ k) = sumf g l + sumf g k.
Proof. induction l; simpl; [ring|]. rewrite IHl. ring. Qed.
Lemma sumf_zero {A} (g : A -> R) l : (forall a, In a l -> g a = 0) -> sumf g l = 0.
Proof. induction l; simpl; intros H; [reflexivity|]. rewrite H, IHl by auto. ring. Qed.

Theorem level_stability P D L : lv_check P D L = true -> stable (p_n P) (p_f P) (p_eqs P) (p_e P) (map fe
  (p_leaf P)).
Proof.
  unfold lv_check. intros H. apply andb_true_iff in H. destruct H as [H HS2]. apply andb_true_iff in H.
    destruct H as [H HS1].
  apply andb_true_iff in H. destruct H as [H HKi]. apply andb_true_iff in H. destruct H as [H HEq].
    apply andb_true_iff in H. destruct H as [H HJi].
  apply andb_true_iff in H. destruct H as [H HCc]. apply andb_true_iff in H. destruct H as [H HA].
    apply andb_true_iff in H. destruct H as [HP HV].
  apply negb_true_iff in HA. apply q2r_pos in HA. apply negb_true_iff in HCc. apply q2r_pos in HCc.
  destruct P as [n m f eqs e atoms leaf us]. unfold level_exprs in *.
    cbn [p_n p_m p_f p_eqs p_e p_atoms p_leaf p_us] in *.
  destruct L as [inv lc lK lk lw]. cbn [l_inv l_c l_K l_k l_w] in *.
  unfold plant_check in HP. cbn [p_n p_m p_f p_eqs p_e p_atoms p_leaf p_us] in HP.
  apply andb_true_iff in HP. destruct HP as [HP Hu]. apply andb_true_iff in HP. destruct HP as [HP Hk].
  apply andb_true_iff in HP. destruct HP as [HP Hz]. apply andb_true_iff in HP. destruct HP as [HP Ha].
  apply andb_true_iff in HP. destruct HP as [He Hm]. apply Nat.eqb_eq in He. apply Nat.eqb_eq in Hm.
  destruct (unknown_bound n m eqs e atoms us Hu Hm) as (M & r1 & HM & Hr1 & HZ).
  destruct (soft_near n m e us _ _ _ _ _ HS1) as (HK1 & r2 & Hr2 & HU).
  destruct (soft_near n 0 e [] _ _ _ _ _ HS2) as (HK2 & r5 & Hr5 & HLow).
  rewrite forallb_forall in Hz, Hk, HKi.
  destruct (zero_at_O _ _ _ HV) as [BV (MV & r4 & HMV & Hr4 & HV4)].
  destruct (has_jet_at_fine n e (r_V D :: (map fe leaf ++ map fe inv) ++ atoms)) as (r3 & Hr3 & HF).
  { simpl. rewrite (zero_at_has _ _ _ HV). simpl. rewrite !forallb_app, Ha, HJi, !andb_true_r.
    apply forallb_forall.
    intros g Hg. apply in_map_iff in Hg. destruct Hg as (F & <- & HF). apply zero_at_has, Hz, HF. }
  assert (Zleaf : forall g, In g (map fe leaf) -> eval (vec e) g = 0 /\ below n g = true).
  { intros g Hg. apply in_map_iff in Hg. destruct Hg as (F & <- & HF'). specialize (Hz F HF').
    unfold zero_at in Hz.
    apply andb_true_iff in Hz. destruct Hz as [B Hz']. split; [|exact B].
    destruct (jet_of n e (fe F)) as [j|] eqn:E; [|discriminate]. apply jet_of_ok in E.
      destruct (jc j) as [q|] eqn:Ec; [|discriminate].
    destruct E as (E0 & _). rewrite (E0 q Ec). apply (val_zero FF), Hz'. }
  assert (Binv : forall g, In g (map fe inv) -> below n g = true /\
    O_ n 1 (fun h => eval (shift e h) g - eval (vec e) g)).
  { intros g Hg. rewrite forallb_forall in HJi. specialize (HJi g Hg). unfold has_jet_at in HJi.
    apply andb_true_iff in HJi. destruct HJi as [B HJ].
    split; [exact B|]. destruct (jet_of n e g) as [j|] eqn:E; [|discriminate]. apply jet_of_ok in E.
      apply (jet_first n e g j E). }
  set (S := fun y => sumf (fun g => (eval y g - eval (vec e) g) * (eval y g - eval (vec e) g)) (map fe inv)).
  assert (HSO : O_ n 1 (fun h => S (shift e h))).
  { apply (O_sumf n 1 (fun g h => (eval (shift e h) g - eval (vec e) g) * (eval (shift e h) g - eval (vec e)
    g))).
    intros g Hg. apply O_weak, (O_mul n 1 1); apply Binv, Hg. }
  destruct HSO as (MS & r6 & HMS & Hr6 & HS6).
  set (a := q2r (r_a D)) in *. set (V := r_V D) in *. set (cc := q2r lc) in *.
    set (k1 := q2r (r_K D)) in *. set (k2 := q2r lK) in *.
  set (r := Rmin (Rmin (Rmin r1 r3) (r2 / (1 + M))) (Rmin r4 (Rmin r5 r6))).
  assert (B1 : r <= Rmin (Rmin r1 r3) (r2 / (1 + M))) by apply Rmin_l.
    assert (B2 : r <= Rmin r4 (Rmin r5 r6)) by apply Rmin_r.
  assert (B3 : Rmin (Rmin r1 r3) (r2 / (1 + M)) <= Rmin r1 r3) by apply Rmin_l.
  assert (B4 : Rmin (Rmin r1 r3) (r2 / (1 + M)) <= r2 / (1 + M)) by apply Rmin_r.
  assert (B5 : Rmin r1 r3 <= r1) by apply Rmin_l. assert (B6 : Rmin r1 r3 <= r3) by apply Rmin_r.
  assert (B7 : Rmin r4 (Rmin r5 r6) <= r4) by apply Rmin_l.
    assert (B8 : Rmin r4 (Rmin r5 r6) <= Rmin r5 r6) by apply Rmin_r.
  assert (B9 : Rmin r5 r6 <= r5) by apply Rmin_l. assert (B10 : Rmin r5 r6 <= r6) by apply Rmin_r.
  assert (Hr : 0 < r). { repeat apply Rmin_pos; try assumption. apply Rdiv_lt_0_compat; lra. }
  set (N := INR n + 1). assert (PN : 0 < N) by (assert (Q := pos_INR n); unfold N; lra).
  set (c1 := cc / N). assert (Pc1 : 0 < c1) by (apply Rdiv_lt_0_compat; assumption).
  set (G := MV + (2 * k1 / a + 2 * k2) * MS).
  assert (Pk : 0 <= 2 * k1 / a + 2 * k2). { assert (0 <= 2 * k1 / a) by (apply Rmult_le_pos; [lra|left;
    apply Rinv_0_lt_compat, HA]). lra. }
  assert (PG : 0 <= G). { assert (0 <= (2 * k1 / a + 2 * k2) * MS) by (apply Rmult_le_pos; assumption).
    unfold G; lra. }
  intros eps Heps. set (b := Rmin eps r). assert (Hb : 0 < b) by (apply Rmin_pos; assumption).
  assert (E1 : b <= eps) by apply Rmin_l. assert (E2 : b <= r) by apply Rmin_r.
  assert (Hcb : 0 < c1 * (b * b)) by (apply Rmult_lt_0_compat; [assumption|apply Rmult_lt_0_compat;
    assumption]).
  set (d := Rmin b (c1 * (b * b) / (G + 1))). assert (Hd : 0 < d) by (apply Rmin_pos;
    [assumption|apply Rdiv_lt_0_compat; lra]).
  assert (D1 : d <= b) by apply Rmin_l. assert (D2 : d <= c1 * (b * b) / (G + 1)) by apply Rmin_r.
  exists (d / N). split; [apply Rdiv_lt_0_compat; assumption|].
  intros Y T HT HMo H0 Hnear. destruct (wrap_motion n f eqs Y T HT HMo) as (XE & XC & XD & XQ).
  set (X := wrap Y T) in *. set (s := fun t => S1 n (off (vec e) (X t))).
  assert (Start : s 0 < d).
  { unfold s. rewrite XE by lra. eapply Rle_lt_trans; [apply (S1_lt n _ (d / N));
    [exact Hnear|apply Rdiv_lt_0_compat; assumption]|].
    apply Rlt_le_trans with (N * (d / N)); [|right; field; lra].
      apply Rmult_lt_compat_r; [apply Rdiv_lt_0_compat; assumption|unfold N; lra]. }
  assert (P0 : 0 <= s 0) by apply S1_pos.
  assert (V0 : Rabs (eval (X 0) V) <= MV * s 0).
  { rewrite (eval_near n e V (X 0) BV). specialize (HV4 (h_of e (X 0))). simpl in HV4.
    rewrite Rmult_1_r in HV4.
    apply HV4. unfold h_of. fold (s 0). lra. }
  assert (S0 : 0 <= S (X 0) <= MS * s 0).
  { split; [apply sumf_pos; intros; apply Rle_0_sqr|]. specialize (HS6 (off (vec e) (X 0))). simpl in HS6.
    rewrite Rmult_1_r in HS6.
    replace (S (X 0)) with (S (shift e (off (vec e) (X 0)))).
    - eapply Rle_trans; [apply Rle_abs|]. apply HS6. fold (s 0). lra.
    - unfold S. apply sumf_ext. intros g Hg. rewrite (eval_ext n _ (X 0) g (fun i _ => shift_off e (X 0) i)
      (proj1 (Binv g Hg))). reflexivity. }
  assert (Key : forall u, 0 <= u <= T -> (forall v, 0 <= v <= u -> s v <= b) -> c1 * (s u * s u) <= G * s 0).
  { intros u Hu' Hin.
    assert (Fine : forall v, 0 <= v <= u -> forall x, In x (V :: (map fe leaf ++ map fe inv) ++ atoms) ->
      fine (X v) x).
    { intros v Hv x Hx. apply HF; [|exact Hx]. fold (s v). specialize (Hin v Hv). lra. }
    assert (Conv : forall lf F, (forall v, 0 <= v <= u -> forall g, In g lf -> eval (X v) g = 0) ->
      In (fe F) (map fe leaf ++ map fe inv) ->
              kept n m f eqs atoms lf (fe F) (fcomb F) = true -> forall v, 0 <= v <= u ->
                eval (X v) (fe F) = eval (X 0) (fe F)).
    { intros lf F Hlf HF' Hkk v Hv. apply (kept_ok n m f eqs atoms lf (fe F) (fcomb F) X v Hkk XC); try lra.
      - intros t Ht. apply XD; lra.
      - intros t Ht. apply XQ; lra.
      - intros t Ht. apply Hlf; lra.
      - intros t Ht. split; [apply Fine; [lra|right; apply in_app_iff; left; exact HF']|].
        intros x Hx. apply Fine; [lra|right; apply in_app_iff; right; exact Hx]. }
    assert (Leaf : forall v, 0 <= v <= u -> forall g, In g (map fe leaf) -> eval (X v) g = 0).
    { intros v Hv g Hg. assert (Hg' := Hg). apply in_map_iff in Hg. destruct Hg as (F & <- & HF').
      rewrite (Conv [] F) with (v := v); [|intros ? ? ? []|apply in_app_iff; left;
        exact Hg'|apply Hk, HF'|exact Hv].
      rewrite XE by lra. apply H0, Hg'. }
    assert (Same : forall v, 0 <= v <= u -> S (X v) = S (X 0)).
    { intros v Hv. unfold S. apply sumf_ext. intros g Hg. assert (Hg' := Hg). apply in_map_iff in Hg.
      destruct Hg as (F & <- & HF').
      rewrite (Conv (map fe leaf) F Leaf) with (v := v); [reflexivity|apply in_app_iff; right;
        exact Hg'|apply HKi, HF'|exact Hv]. }
    assert (At : forall g, below n g = true -> eval (vec (ez e us)) g = eval (vec e) g).
    { intros g Bg. apply (eval_ext n); [|exact Bg]. intros i Hi. unfold ez. apply vec_app1. lia. }
    assert (SumE : forall v, 0 < v < u -> sumf (fun x => change e us (X v) x * change e us (X v) x) eqs = 0).
    { intros v Hv. apply sumf_zero. intros q Hq. unfold change. rewrite (XQ v ltac:(lra) q Hq).
      rewrite forallb_forall in HEq. destruct (zero_at_jet n m e us q (HEq q Hq)) as (_ & _ & Zq).
        rewrite Zq. ring. }
    assert (SumLI : forall v, 0 <= v <= u -> sumf (fun x => change e us (X v) x * change e us (X v) x) (map
      fe leaf ++ map fe inv) = S (X v)).
    { intros v Hv. rewrite sumf_app, sumf_zero.
      - unfold S, change. rewrite Rplus_0_l. apply sumf_ext. intros g Hg.
        rewrite (At g (proj1 (Binv g Hg))). reflexivity.
      - intros g Hg. unfold change. rewrite (Leaf v Hv g Hg), (At g (proj2 (Zleaf g Hg))),
        (proj1 (Zleaf g Hg)). ring. }
    assert (SumLI0 : forall v, 0 <= v <= u -> sumf (fun x => change e [] (X v) x * change e [] (X v) x) (map
      fe leaf ++ map fe inv) = S (X v)).
    { assert (E0 : ez e [] = e) by apply app_nil_r. intros v Hv. rewrite sumf_app, sumf_zero.
      - unfold S, change. rewrite E0, Rplus_0_l. reflexivity.
      - intros g Hg. unfold change. rewrite E0, (Leaf v Hv g Hg), (proj1 (Zleaf g Hg)). ring. }
    assert (Rate : forall v, 0 < v < u -> eval (X v) (deriv f V) <= - a * eval (X v) V + 2 * k1 * S (X 0)).
    { intros v Hv. assert (Hv' : 0 <= v <= u) by lra. set (y := X v).
      assert (Hy : s v <= r) by (specialize (Hin v Hv'); lra).
      assert (Zb : Z_of n m us y <= M * s v).
      { apply HZ; [split|change (s v <= r1); lra].
        - intros q Hq. apply XQ; [lra|exact Hq].
        - intros x Hx. apply Fine; [exact Hv'|right; apply in_app_iff; right; exact Hx]. }
      assert (Near : S1 (n + m) (off (vec (ez e us)) y) <= r2).
      { unfold ez. rewrite S1_split.
        rewrite (S1_ext n (off (vec (e ++ ze us)) y) (off (vec e) y)).
        2:{ intros i Hi. unfold off. rewrite vec_app1 by lia. reflexivity. }
        rewrite (S1_ext m _ (fun l => y (n + l)%nat - vec (ze us) l)).
        2:{ intros i Hi. unfold off. rewrite <- He, vec_app2. reflexivity. }
        fold (Z_of n m us y). change (S1 n (off (vec e) y)) with (s v).
        apply Rle_trans with ((1 + M) * r); [|apply Rle_trans with ((1 + M) * (r2 / (1 + M)));
          [apply Rmult_le_compat_l; lra|right; field; lra]].
        assert ((1 + M) * s v <= (1 + M) * r) by (apply Rmult_le_compat_l; lra). lra. }
      assert (Q := HU y Near). unfold falls, Sub, Neg, mone in Q. cbn [eval] in Q. rewrite q2r_m1 in Q.
        fold V a in Q.
      assert (SE := SumE v Hv). assert (SL := SumLI v Hv'). assert (SM := Same v Hv').
        fold y in SE, SL, SM. rewrite sumf_app, SE, SL, SM in Q. fold k1 in Q. lra. }
    assert (G1 : - (eval (X 0) V - 2 * k1 * S (X 0) / a) * exp (- a * u) <= - (eval (X u) V - 2 * k1 * S (X
      0) / a)).
    { apply (grows (fun t => - (eval (X t) V - 2 * k1 * S (X 0) / a)) (fun t => - (eval (X t) (deriv f V) -
      0)) (- a) u); try lra.
      - intros v Hv. apply (continuity_pt_opp (fun t => eval (X t) V - 2 * k1 * S (X 0) / a)).
        apply (continuity_pt_minus (fun t => eval (X t) V) (fun _ => 2 * k1 * S (X 0) / a)).
        + apply (eval_cont n); [intros i Hi; apply XC, Hi|exact BV|apply Fine; [exact Hv|left; reflexivity]].
        + apply continuity_pt_const. intros p q; reflexivity.
      - intros v Hv. apply (derivable_pt_lim_opp (fun t => eval (X t) V - 2 * k1 * S (X 0) / a)).
        apply (derivable_pt_lim_minus (fun t => eval (X t) V) (fun _ => 2 * k1 * S (X 0) / a));
          [|apply derivable_pt_lim_const].
        apply (deriv_ok n); [intros i Hi; apply XD; [lra|exact Hi]|exact BV|apply Fine; [lra|left;
          reflexivity]].
      - intros v Hv. specialize (Rate v Hv). replace (- a * - (eval (X v) V - 2 * k1 * S (X 0) / a)) with (a
        * eval (X v) V - 2 * k1 * S (X 0)) by (field; lra). lra. }
    assert (Pe : 0 < exp (- a * u) <= 1).
    { split; [apply exp_pos|]. rewrite <- exp_0. destruct (Req_dec (a * u) 0) as [Z|Z]; [right; f_equal;
      lra|]. left. apply exp_increasing.
      assert (0 <= a * u) by (apply Rmult_le_pos; lra). lra. }
    assert (P1 : 0 <= 2 * k1 * S (X 0) / a).
    { apply Rmult_le_pos; [apply Rmult_le_pos; lra|left; apply Rinv_0_lt_compat, HA]. }
    assert (Vu : eval (X u) V <= MV * s 0 + 2 * k1 * S (X 0) / a).
    { assert (eval (X 0) V * exp (- a * u) <= Rabs (eval (X 0) V) * 1).
      { eapply Rle_trans; [apply Rmult_le_compat_r; [lra|apply Rle_abs]|].
        apply Rmult_le_compat_l; [apply Rabs_pos|lra]. }
      assert (0 <= 2 * k1 * S (X 0) / a * exp (- a * u)) by (apply Rmult_le_pos; lra). lra. }
    assert (Lo : cc * Q1 n (off (vec e) (X u)) <= eval (X u) V + 2 * k2 * S (X 0)).
    { assert (Q := HLow (X u)). unfold Sub, Neg, mone in Q. cbn [eval] in Q. rewrite q2r_m1, dist2_ok in Q.
      fold V cc k2 in Q.
      assert (Q' : - (2 * k2 * S (X u)) <= eval (X u) V + -1 * (cc * Q1 n (off (vec e) (X u)))).
      { rewrite <- SumLI0 with (v := u); [|lra]. apply Q. rewrite Nat.add_0_r. unfold ez. simpl.
        rewrite app_nil_r. fold (s u).
        assert (s u <= b) by (apply Hin; lra). lra. }
      rewrite (Same u ltac:(lra)) in Q'. lra. }
    assert (T1 := S1_Q1' n (off (vec e) (X u))). fold N in T1. fold (s u) in T1.
    assert (Q : c1 * (s u * s u) <= cc * Q1 n (off (vec e) (X u))).
    { replace (cc * Q1 n (off (vec e) (X u))) with (c1 * (N * Q1 n (off (vec e) (X u)))) by (unfold c1;
      field; lra). apply Rmult_le_compat_l; lra. }
    assert ((2 * k1 / a + 2 * k2) * S (X 0) <= (2 * k1 / a + 2 * k2) * (MS * s 0)) by (apply
      Rmult_le_compat_l; lra).
    replace (2 * k1 * S (X 0) / a) with (2 * k1 / a * S (X 0)) in Vu by (field; lra). unfold G. lra. }
  assert (Ms : G * s 0 < c1 * (b * b)).
  { apply Rle_lt_trans with ((G + 1) * s 0); [apply Rmult_le_compat_r; lra|].
    apply Rlt_le_trans with ((G + 1) * (c1 * (b * b) / (G + 1))); [apply Rmult_lt_compat_l; lra|right;
      field; lra]. }
  assert (Main : forall t, 0 <= t <= T -> s t < b).
  { apply (trap s T b HT); [apply S1_cont; exact XC|lra|]. intros t Ht Hin. specialize (Key t Ht Hin).
    assert (Pt : 0 <= s t) by apply S1_pos.
    destruct (Rlt_le_dec (s t) b) as [|K]; [assumption|exfalso].
    assert (b * b <= s t * s t) by (apply Rmult_le_compat; lra).
    assert (c1 * (b * b) <= c1 * (s t * s t)) by (apply Rmult_le_compat_l; lra). lra. }
  intros t Ht i Hi. assert (Hs : Rabs (Y t i - vec e i) <= s t).
  { unfold s. rewrite XE by exact Ht. apply (S1_ge n (off (vec e) (Y t)) i Hi). }
  specialize (Main t Ht). lra.
Qed.
End Over.
