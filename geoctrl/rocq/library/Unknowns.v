(* The unknowns z stay near their values at the point while the states do; what is positive of both where
   relations and equations hold. *)
From Coq Require Import Reals QArith Qreals Qreduction List Lra Lia Bool PeanoNat ZArith Classical_Prop.
From Geoctrl Require Import OneDimension Orders Expressions Derivative Fields Polynomials Identities Taylor
  Jets
  Definite Motions EnergyCasimir.
Import ListNotations.
Local Open Scope R_scope.

Section Over.
Context {FF : field}.

(* ---- the unknowns are near theirs where the states are near theirs ---- *)
Record unknown := Unknown { u_at : expr; u_b : expr; u_c : list expr; u_comb : combo }.

Section Rates.
Variables (n m : nat) (f eqs : list expr) (e : list expr) (atoms : list expr) (us : list unknown).
Definition ze := map u_at us.
Definition ez := e ++ ze.
Definition has_jet_at (k : nat) (p : list expr) (a : expr) : bool :=
  below k a && match jet_of k p a with Some _ => true | None => false end.
Definition zero_at (k : nat) (p : list expr) (a : expr) : bool :=
  below k a && match jet_of k p a with Some j => match jc j with Some q => is_zero q | None => false end
    | None => false end.
Definition dz (l : nat) : expr := Sub (Var (n + l)) (coordinate ze l).
Fixpoint row (k : nat) (c : list expr) : expr := match c with [] => Num 0 | a :: c' => Add (Mul a (dz k))
  (row (S k) c') end.
Definition unknown_check (i : nat) (u : unknown) : bool :=
  zero_at n e (u_b u) && forallb (zero_at n e) (u_c u) && Nat.leb (length (u_c u)) m &&
  vanishes (n + m) atoms (Sub (Sub (dz i) (Add (u_b u) (row 0 (u_c u)))) (comb eqs atoms [] (u_comb u))).
Fixpoint unknowns_check (i : nat) (l : list unknown) : bool :=
  match l with [] => true | u :: l' => unknown_check i u && unknowns_check (S i) l' end.

Lemma zero_at_O k p a : zero_at k p a = true -> below k a = true /\ O_ k 1 (fun h => eval (shift p h) a).
Proof.
  unfold zero_at. intros H. apply andb_true_iff in H. destruct H as [B H]. split; [exact B|].
  destruct (jet_of k p a) as [j|] eqn:E; [|discriminate]. apply jet_of_ok in E.
    assert (U := jet_first _ _ _ _ E).
  destruct (jc j) as [q|] eqn:Ec; [|discriminate]. destruct E as (V & _). specialize (V q Ec).
    rewrite (val_zero _ _ H) in V.
  apply (O_ext k 1 (fun h => eval (shift p h) a - eval (vec p) a)); [|exact U]. intros h. rewrite V. ring.
Qed.

Definition good (y : nat -> R) : Prop := (forall q, In q eqs -> eval y q = 0) /\ (forall a, In a atoms ->
  fine y a).
Definition h_of (y : nat -> R) := off (vec e) y.
Definition Z_of (y : nat -> R) := S1 m (fun l => y (n + l)%nat - vec ze l).

Lemma eval_near a y : below n a = true -> eval y a = eval (shift e (h_of y)) a.
Proof. intros B. symmetry. apply (eval_ext n); [intros; apply shift_off|exact B]. Qed.

Lemma row_bound : forall c k, (k + length c <= m)%nat -> forallb (zero_at n e) c = true ->
  exists M r, 0 <= M /\ 0 < r /\ forall y, S1 n (h_of y) <= r ->
    Rabs (eval y (row k c)) <= M * S1 n (h_of y) * Z_of y.
Proof.
  induction c as [|a c IH]; intros k Hk H.
  { exists 0, 1. repeat split; try lra. intros y _. simpl. rewrite q2r_0, Rabs_R0. lra. }
  simpl in H. apply andb_true_iff in H. destruct H as [Ha Hc]. simpl in Hk.
  destruct (IH (S k)) as (M & r & HM & Hr & K); [lia|exact Hc|].
  destruct (zero_at_O _ _ _ Ha) as [B (M' & r' & HM' & Hr' & K')].
  exists (M' + M), (Rmin r r'). repeat split; [lra|apply Rmin_pos; assumption|]. intros y Hy.
  assert (A1 := Rmin_l r r'). assert (A2 := Rmin_r r r'). specialize (K y). specialize (K' (h_of y)).
  cbn [row eval]. eapply Rle_trans; [apply Rabs_triang|]. rewrite !Rmult_plus_distr_r.
    apply Rplus_le_compat; [|apply K; lra].
  rewrite Rabs_mult. apply Rmult_le_compat; try apply Rabs_pos.
  - rewrite (eval_near a y B). simpl in K'. rewrite Rmult_1_r in K'. apply K'. lra.
  - unfold dz, Sub, Neg, mone. cbn [eval]. rewrite q2r_m1, coordinate_ok. unfold Z_of.
    replace (y (n + k)%nat + -1 * vec ze k) with (y (n + k)%nat - vec ze k) by ring.
    apply (S1_ge m (fun l => y (n + l)%nat - vec ze l) k). lia.
Qed.

Lemma unknown_step i u : unknown_check i u = true ->
  exists M r, 0 <= M /\ 0 < r /\ forall y, good y -> S1 n (h_of y) <= r ->
    Rabs (y (n + i)%nat - vec ze i) <= M * S1 n (h_of y) * (1 + Z_of y).
Proof.
  unfold unknown_check. intros H. apply andb_true_iff in H. destruct H as [H V].
  apply andb_true_iff in H. destruct H as [H L]. apply andb_true_iff in H. destruct H as [Hb Hc].
  apply Nat.leb_le in L. destruct (row_bound (u_c u) 0) as (M & r & HM & Hr & K); [lia|exact Hc|].
  destruct (zero_at_O _ _ _ Hb) as [B (M' & r' & HM' & Hr' & K')].
  exists (M' + M), (Rmin r r'). repeat split; [lra|apply Rmin_pos; assumption|]. intros y [Gq Ga] Hy.
  assert (A1 := Rmin_l r r'). assert (A2 := Rmin_r r r'). specialize (K y). specialize (K' (h_of y)).
  apply (vanishes_ok _ _ y _ Ga) in V. unfold Sub at 1 2, Neg, mone in V. cbn [eval] in V.
    rewrite q2r_m1 in V.
  rewrite (comb_zero eqs atoms y [] (u_comb u) Gq) in V; [|intros ? []|exact Ga].
  unfold dz, Sub, Neg, mone in V. cbn [eval] in V. rewrite q2r_m1, coordinate_ok in V.
  assert (E : y (n + i)%nat - vec ze i = eval y (u_b u) + eval y (row 0 (u_c u))) by lra.
  rewrite E. eapply Rle_trans; [apply Rabs_triang|]. assert (Zp : 0 <= Z_of y) by apply S1_pos.
    assert (Sp := S1_pos n (h_of y)).
  rewrite (eval_near _ y B). simpl in K'. rewrite Rmult_1_r in K'.
  assert (Rabs (eval (shift e (h_of y)) (u_b u)) <= M' * S1 n (h_of y)) by (apply K'; lra).
  assert (Rabs (eval y (row 0 (u_c u))) <= M * S1 n (h_of y) * Z_of y) by (apply K; lra).
  assert (0 <= M' * S1 n (h_of y) * Z_of y) by (repeat apply Rmult_le_pos; assumption).
  assert (0 <= M * S1 n (h_of y)) by (apply Rmult_le_pos; assumption). lra.
Qed.

Lemma unknowns_step : forall l i, unknowns_check i l = true ->
  exists M r, 0 <= M /\ 0 < r /\ forall y, good y -> S1 n (h_of y) <= r ->
    forall k, (i <= k < i + length l)%nat ->
    Rabs (y (n + k)%nat - vec ze k) <= M * S1 n (h_of y) * (1 + Z_of y).
Proof.
  induction l as [|u l IH]; intros i H.
  { exists 0, 1. repeat split; try lra. simpl. intros; lia. }
  simpl in H. apply andb_true_iff in H. destruct H as [Hu Hl].
  destruct (IH (S i) Hl) as (M & r & HM & Hr & K). destruct (unknown_step i u Hu) as (M' & r' & HM' & Hr' &
    K').
  exists (M + M'), (Rmin r r'). repeat split; [lra|apply Rmin_pos; assumption|]. intros y G Hy k Hk.
  assert (A1 := Rmin_l r r'). assert (A2 := Rmin_r r r'). assert (Zp : 0 <= Z_of y) by apply S1_pos.
    assert (Sp := S1_pos n (h_of y)).
  assert (0 <= M * S1 n (h_of y) * (1 + Z_of y)) by (apply Rmult_le_pos; [apply Rmult_le_pos;
    assumption|lra]).
  assert (0 <= M' * S1 n (h_of y) * (1 + Z_of y)) by (apply Rmult_le_pos; [apply Rmult_le_pos;
    assumption|lra]).
  simpl in Hk. destruct (Nat.eq_dec k i) as [->|].
  - eapply Rle_trans; [apply K'; [exact G|lra]|]. lra.
  - eapply Rle_trans; [apply K; [exact G|lra|lia]|]. lra.
Qed.

Lemma unknown_bound : unknowns_check 0 us = true -> length us = m ->
  exists M r, 0 <= M /\ 0 < r /\ forall y, good y -> S1 n (h_of y) <= r -> Z_of y <= M * S1 n (h_of y).
Proof.
  intros H Hm. destruct (unknowns_step us 0 H) as (M & r & HM & Hr & K). rewrite Hm in K.
  set (N := INR m + 1). assert (PN : 1 <= N) by (assert (P := pos_INR m); unfold N; lra).
  assert (PMN : 0 < 2 * (N * (M + 1))) by (assert (0 < N * (M + 1)) by (apply Rmult_lt_0_compat; lra); lra).
  exists (2 * (N * (M + 1))), (Rmin r (/ (2 * (N * (M + 1))))).
  repeat split; [lra|apply Rmin_pos; [assumption|apply Rinv_0_lt_compat, PMN]|]. intros y G Hy.
  assert (A1 := Rmin_l r (/ (2 * (N * (M + 1))))). assert (A2 := Rmin_r r (/ (2 * (N * (M + 1))))).
  assert (Sp := S1_pos n (h_of y)). set (s := S1 n (h_of y)) in *.
  assert (Zp : 0 <= Z_of y) by apply S1_pos.
  assert (U : forall k, (k < m)%nat -> Rabs (y (n + k)%nat - vec ze k) <= (M + 1) * s * (1 + Z_of
    y)).
  { intros k Hk. eapply Rle_trans; [apply K; [exact G|fold s; lra|lia]|]. fold s.
    apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat_r; lra. }
  assert (T : Z_of y <= N * ((M + 1) * s * (1 + Z_of y))).
  { assert (T : forall j, (j <= m)%nat -> S1 j (fun l => y (n + l)%nat - vec ze l) <= INR j * ((M
    + 1) * s * (1 + Z_of y))).
    { induction j; intros Hj; [simpl; lra|]. rewrite S_INR. simpl. specialize (U j ltac:(lia)).
      specialize (IHj ltac:(lia)). lra. }
    eapply Rle_trans; [apply (T m); lia|]. apply Rmult_le_compat_r; [|unfold N; lra].
    apply Rmult_le_pos; [apply Rmult_le_pos; lra|lra]. }
  assert (S' : 2 * (N * (M + 1)) * s <= 1).
  { apply Rle_trans with (2 * (N * (M + 1)) * / (2 * (N * (M + 1)))); [apply Rmult_le_compat_l; lra|right;
    field; lra]. }
  assert (T' : Z_of y <= (N * (M + 1)) * s + (N * (M + 1)) * s * Z_of y) by lra.
  assert ((N * (M + 1)) * s * Z_of y <= / 2 * Z_of y) by (apply Rmult_le_compat_r; lra). lra.
Qed.

(* ---- a function of states and unknowns that is positive where relations and equations hold ---- *)
Variables (K c : Q) (w : squares) (U : expr) (cons : list expr).
Definition jet_at (a : expr) : jet FF := match jet_of (n + m) ez a with Some j => j | None => jet0 end.
Definition positive_check : bool :=
  zero_at (n + m) ez U && pnil (jl (jet_at U)) && forallb (zero_at (n + m) ez) cons && Qle_bool 0 K &&
  positive_by (n + m) c w (padd (jq (jet_at U)) (pscal (of_q K) (sump (fun a => psq (jl (jet_at a))) cons))).

Lemma zero_at_jet a : zero_at (n + m) ez a = true -> below (n + m) a = true /\
  jet_ok (n + m) ez a (jet_at a) /\ eval (vec ez) a = 0.
Proof.
  unfold zero_at, jet_at. intros H. apply andb_true_iff in H. destruct H as [B H].
  destruct (jet_of (n + m) ez a) as [j|] eqn:E; [|discriminate]. apply jet_of_ok in E.
    repeat split; try apply E; try exact B.
  destruct (jc j) as [q|] eqn:Ec; [|discriminate]. destruct E as (V & _). rewrite (V q Ec).
    apply (val_zero FF), H.
Qed.

Lemma positive_near : positive_check = true ->
  exists r, 0 < r /\ forall y, S1 (n + m) (off (vec ez) y) <= r -> (forall a, In a cons ->
    eval y a = 0) -> 0 <= eval y U.
Proof.
  unfold positive_check. intros H. apply andb_true_iff in H. destruct H as [H HP].
    apply andb_true_iff in H. destruct H as [H HK].
  apply andb_true_iff in H. destruct H as [H HC]. apply andb_true_iff in H. destruct H as [HU HL].
  destruct (zero_at_jet U HU) as (BU & JU & EU). rewrite forallb_forall in HC.
  destruct (positive_by_ok _ _ _ _ HP) as [Pc HS]. apply q2r_le in HK. rewrite q2r_0 in HK.
  set (B := fun a h => peval h (jq (jet_at a)) + rest ez a (jet_at a) h).
  set (D := fun h => rest ez U (jet_at U) h + - q2r K * sumf (fun a => B a h * B a h) cons).
  assert (HD : O_ (n + m) 3 D).
  { apply O_add; [apply JU|]. apply O_scal. apply (O_sumf (n + m) 3 (fun a h => B a h * B a h)). intros a Ha.
    destruct (zero_at_jet a (HC a Ha)) as (_ & (_ & _ & Q2 & R3 & _) & _).
    assert (HB : O_ (n + m) 2 (B a)) by (apply O_add; [exact Q2|apply O_weak, R3]).
    apply O_weak, (O_mul (n + m) 2 2); exact HB. }
  set (N := INR (n + m) + 1). assert (PN : 0 < N) by (assert (P := pos_INR (n + m)); unfold N; lra).
  set (c1 := q2r c / N). assert (Pc1 : 0 < c1) by (apply Rdiv_lt_0_compat; assumption).
  destruct (cubic_small (n + m) c1 D Pc1 HD) as (r & Hr & HDr). exists r. split; [exact Hr|].
    intros y Hy Hcons.
  set (h := off (vec ez) y) in *.
  assert (Ey : forall a, below (n + m) a = true -> eval y a = eval (shift ez h) a).
  { intros a Ba. symmetry. apply (eval_ext (n + m)); [intros; apply shift_off|exact Ba]. }
  assert (EU' : eval y U = peval h (jq (jet_at U)) + rest ez U (jet_at U) h).
  { unfold rest. rewrite <- (Ey U BU), EU, (pnil_ok h _ HL). ring. }
  assert (ES : sumf (fun a => B a h * B a h) cons = sumf (fun a => peval h (psq (jl (jet_at a)))) cons).
  { apply sumf_ext. intros a Ha. destruct (zero_at_jet a (HC a Ha)) as (Ba & _ & Ea). rewrite psq_ok.
    assert (E : B a h = - peval h (jl (jet_at a))).
    { unfold B, rest. rewrite <- (Ey a Ba), (Hcons a Ha), Ea. ring. }
    rewrite E. ring. }
  specialize (HS h). rewrite padd_ok, pscal_ok, val_q, sump_ok, <- ES in HS.
  specialize (HDr h Hy). assert (T := S1_Q1' (n + m) h). fold N in T.
  assert (Q : c1 * (S1 (n + m) h * S1 (n + m) h) <= q2r c * Q1 (n + m) h).
  { replace (q2r c * Q1 (n + m) h) with (c1 * (N * Q1 (n + m) h)) by (unfold c1; field; lra).
    apply Rmult_le_compat_l; lra. }
  assert (- (c1 * (S1 (n + m) h * S1 (n + m) h)) <= D h) by (unfold Rabs in HDr; destruct Rcase_abs; lra).
  rewrite EU'. unfold D in H. lra.
Qed.
End Rates.
End Over.
