(* Instability by motions in closed form that begin as near as one likes and drift away. *)
From Coq Require Import Reals QArith Qreals Qreduction List Lra Lia Bool PeanoNat ZArith Classical_Prop.
From Geoctrl Require Import OneDimension Orders Expressions Derivative Fields Polynomials Identities Taylor
  Jets
  Definite Motions EnergyCasimir Unknowns Rates Asymptotic Instability LevelStability.
Import ListNotations.
Local Open Scope R_scope.

Section Over.
Context {FF : field}.

(* ---- instability by a family of motions in closed form: states of an angle w t and a speed w ---- *)
Definition drifts (n : nat) (f eqs : list expr) (e : list expr) (leaf : list expr) : Prop :=
  exists eps, 0 < eps /\ forall d, 0 < d -> exists (Y : R -> nat -> R) (T : R), 0 < T /\ motion n f eqs Y T /\
    (forall g, In g leaf -> eval (Y 0) g = 0) /\ (forall i, (i < n)%nat -> Rabs (Y 0 i - vec e i) < d) /\
    exists i, (i < n)%nat /\ eps <= Rabs (Y T i - vec e i).

Fixpoint smooth (a : expr) : bool :=
  match a with Num _ | Var _ => true | Add a b | Mul a b => smooth a &&
    smooth b | Fun Sin a | Fun Cos a => smooth a | _ => false end.
Lemma smooth_fine x a : smooth a = true -> fine x a.
Proof.
  induction a; simpl; intros H; try tauto; try discriminate; try (apply andb_true_iff in H; tauto).
  destruct f; try discriminate; tauto.
Qed.

Record family := Family {
  y_n : nat; y_f : list expr; y_eqs : list expr; y_e : list expr; y_leaf : list expr;
  y_g : list expr; y_atoms : list expr; y_cf : list combo; y_ce : list combo; y_cl : list combo; y_k : nat;
    y_l : Q }.
Definition zero2 := [Num 0; Num 0].
Definition along_family : list expr := [Var 1; Num 0].
Definition gives (A : list expr) (a : expr) (c : combo) : bool := vanishes 2 A (Sub a (comb [] [] [] c)).
Fixpoint all_give (A : list expr) (l : list expr) (cs : list combo) : bool :=
  match l, cs with [], _ => true | a :: l', c :: cs' => gives A a c && all_give A l' cs' | _, [] => false end.
Definition at_k (C : family) : expr := Sub (nth (y_k C) (y_g C) (Num 0)) (coordinate (y_e C) (y_k C)).
Definition rates_of (C : family) : list expr :=
  map (fun i => Sub (deriv along_family (nth i (y_g C) (Num 0))) (subst (y_g C) (nth i (y_f C) (Num 0))))
    (seq 0 (y_n C)).
Definition family_check (C : family) : bool :=
  forallb (fun a => smooth a && below 2 a) (y_g C) && forallb smooth (y_atoms C) &&
  all_give (y_atoms C) (rates_of C) (y_cf C) && all_give (y_atoms C) (map (subst (y_g C)) (y_eqs C)) (y_ce
    C) &&
    all_give (y_atoms C) (map (subst (y_g C)) (y_leaf C)) (y_cl C) &&
  forallb (fun i => zero_at 2 zero2 (Sub (nth i (y_g C) (Num 0)) (coordinate (y_e C) i))) (seq 0 (y_n C))
    &&
  Nat.ltb (y_k C) (y_n C) && negb (Qeq_bool (y_l C) 0) &&
  match jet_of 2 zero2 (at_k C) with Some j => pnil (padd (jl j) (pscal (of_q (qmul (-1#1) (y_l C))) (pvar
    0))) |
    None => false end.

Lemma all_give_ok A x l : (forall a, In a A -> fine x a) -> forall cs, all_give A l cs = true ->
  forall a, In a l -> eval x a = 0.
Proof.
  intros HA. induction l as [|b l IH]; intros cs H; [intros a []|]. destruct cs as [|c cs]; [discriminate|].
  simpl in H. apply andb_true_iff in H. destruct H as [H1 H2]. intros a [<-|Ha]; [|apply (IH cs H2 a Ha)].
  unfold gives in H1. apply (vanishes_ok _ _ x _ HA) in H1. unfold Sub, Neg, mone in H1. cbn [eval] in H1.
    rewrite q2r_m1 in H1.
  rewrite (comb_zero [] [] x [] c) in H1; [lra|intros ? []|intros ? []|intros ? []].
Qed.
Lemma cont_on_of f T : continuity f -> cont_on f T.
Proof.
  intros H t _ eps He. destruct (H t eps He) as (d & Hd & K). exists d. split; [exact Hd|]. intros s _ Hs.
  destruct (Req_dec t s) as [->|Hne]; [rewrite Rminus_diag_eq, Rabs_R0 by reflexivity; exact He|].
  apply (K s). split; [split; [exact I|exact Hne]|exact Hs].
Qed.
Definition env (w t : R) : nat -> R := fun i => match i with O => w * t | S O => w | _ => 0 end.

Theorem family_drifts C : family_check C = true -> drifts (y_n C) (y_f C) (y_eqs C) (y_e C) (y_leaf C).
Proof.
  unfold family_check. intros H. apply andb_true_iff in H. destruct H as [H HJ]. apply andb_true_iff in H.
    destruct H as [H Hl].
  apply andb_true_iff in H. destruct H as [H Hk]. apply andb_true_iff in H. destruct H as [H HB].
    apply andb_true_iff in H. destruct H as [H HL].
  apply andb_true_iff in H. destruct H as [H HE]. apply andb_true_iff in H. destruct H as [H HF].
  apply andb_true_iff in H. destruct H as [HS HA]. rewrite forallb_forall in HA.
  assert (FA : forall x a, In a (y_atoms C) -> fine x a) by (intros x a Ha; apply smooth_fine, HA, Ha).
  clear HA.
  apply Nat.ltb_lt in Hk. apply negb_true_iff in Hl. apply q2r_nonzero in Hl.
  destruct C as [n f eqs e leaf g A cf ce cl k l]. cbn [y_n y_f y_eqs y_e y_leaf y_g y_atoms y_cf y_ce y_cl
    y_k y_l] in *. unfold at_k, rates_of in *. cbn [y_n y_f y_eqs y_e y_leaf y_g y_atoms y_cf y_ce y_cl y_k
      y_l] in *.
  set (lam := q2r l) in *. set (G := Sub (nth k g (Num 0)) (coordinate e k)) in *.
  rewrite forallb_forall in HS, HB.
  assert (Hg : forall i, smooth (nth i g (Num 0)) = true /\ below 2 (nth i g (Num 0)) = true).
  { intros i. destruct (Nat.lt_ge_cases i (length g)) as [Li|Li]; [apply andb_true_iff, HS, nth_In, Li|].
    rewrite nth_overflow by exact Li. split; reflexivity. }
  assert (Hz : forall i, (i < n)%nat -> O_ 2 1 (fun h => eval (shift zero2 h) (Sub (nth i g (Num 0))
    (coordinate e i)))).
  { intros i Hi. apply (zero_at_O 2 zero2). apply HB. apply in_seq. lia. }
  assert (BG : below 2 G = true).
  { unfold G, Sub, Neg, mone. cbn [below]. rewrite (proj2 (Hg k)), coordinate_below. reflexivity. }
  destruct (jet_of 2 zero2 G) as [j|] eqn:Ej; [|discriminate]. apply jet_of_ok in Ej.
  assert (HO2 : O_ 2 2 (fun h => eval (shift zero2 h) G - lam * h 0%nat)).
  { destruct Ej as (_ & _ & Q2 & R3 & _).
    assert (G0 : eval (vec zero2) G = 0).
    { destruct (Hz k Hk) as (M & r & HM & Hr & K). specialize (K (fun _ => 0)). fold G in K. simpl in K.
      rewrite Rabs_R0 in K.
      assert (K' : Rabs (eval (shift zero2 (fun _ => 0)) G) <= M * (0 + 0 + 0) * 1) by (eapply Rle_trans;
        [apply K; lra|right; ring]).
      rewrite (eval_ext 2 _ (vec zero2)) in K'; [|intros; unfold shift; ring|exact BG].
      assert (P := Rabs_pos (eval (vec zero2) G)). destruct (Req_dec (eval (vec zero2) G) 0) as [|Hn];
        [assumption|].
      apply Rabs_pos_lt in Hn. lra. }
    apply (O_ext 2 2 (fun h => peval h (jq j) + rest zero2 G j h)).
    - intros h. unfold rest. rewrite G0. apply (pnil_ok h) in HJ.
      rewrite padd_ok, pscal_ok, pvar_ok, val_q, q2r_mul, q2r_m1 in HJ. fold lam in HJ. lra.
    - apply O_add; [exact Q2|apply O_weak, R3]. }
  destruct HO2 as (M & r & HM & Hr & HG).
  assert (Pl : 0 < Rabs lam) by (apply Rabs_pos_lt, Hl).
  set (th := Rmin (r / 2) (Rabs lam / (8 * (M + 1)))).
  assert (Pth : 0 < th) by (apply Rmin_pos; [lra|apply Rdiv_lt_0_compat; lra]).
  assert (A1 : th <= r / 2) by apply Rmin_l. assert (A2 : th <= Rabs lam / (8 * (M + 1))) by apply Rmin_r.
  exists (Rabs lam * th / 2). split; [apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; assumption|lra]|].
  intros d Hd.
  assert (W : exists w0, 0 < w0 /\ forall w, 0 < w <= w0 -> forall i, (i < n)%nat ->
    Rabs (eval (env w 0) (nth i g (Num 0)) - vec e i) < d).
  { assert (W : forall m, (m <= n)%nat -> exists w0, 0 < w0 /\ forall w, 0 < w <= w0 ->
    forall i, (i < m)%nat -> Rabs (eval (env w 0) (nth i g (Num 0)) - vec e i) < d).
    { induction m; intros Hm; [exists 1; split; [lra|intros; lia]|].
      destruct (IHm ltac:(lia)) as (w0 & Hw0 & K). destruct (O_small 2 _ d (Hz m ltac:(lia)) Hd) as (r0 &
        Hr0 & K0).
      exists (Rmin w0 r0). split; [apply Rmin_pos; assumption|]. intros w Hw i Hi.
      assert (C1 := Rmin_l w0 r0). assert (C2 := Rmin_r w0 r0).
      destruct (Nat.eq_dec i m) as [->|]; [|apply K; [lra|lia]].
      specialize (K0 (env w 0)). assert (S2 : S1 2 (env w 0) = w) by (simpl;
        rewrite Rmult_0_r, Rabs_R0, Rabs_right; lra).
      rewrite S2 in K0. specialize (K0 ltac:(lra)).
      unfold Sub, Neg, mone in K0. cbn [eval] in K0. rewrite q2r_m1, coordinate_ok in K0.
      rewrite (eval_ext 2 _ (env w 0)) in K0; [|intros [|[|?]] Hi'; try lia; unfold shift, vec, zero2;
        simpl; rewrite q2r_0; ring|apply Hg].
      replace (eval (env w 0) (nth m g (Num 0)) - vec e m) with (eval (env w 0) (nth m
        g (Num 0)) + -1 * vec e m) by ring. exact K0. }
    apply (W n). lia. }
  destruct W as (w0 & Hw0 & HW). set (w := Rmin w0 th). assert (Pw : 0 < w) by (apply Rmin_pos; assumption).
  assert (W1 : w <= w0) by apply Rmin_l. assert (W2 : w <= th) by apply Rmin_r.
  set (Y := fun t i => eval (env w t) (nth i g (Num 0))).
  assert (Der : forall t a, smooth a = true -> below 2 a = true ->
    derivable_pt_lim (fun s => eval (env w s) a) t (eval (env w t) (deriv along_family a))).
  { intros t a Sa Ba. apply (deriv_ok 2); [|exact Ba|apply smooth_fine, Sa].
    intros [|[|i]] Hi; try lia; simpl.
    - assert (J : derivable_pt_lim (fun s => w * s) t (0 * t + w * 1)).
      { apply (derivable_pt_lim_mult (fun _ => w) id); [apply derivable_pt_lim_const|apply
        derivable_pt_lim_id]. }
      replace (0 * t + w * 1) with w in J by ring. exact J.
    - rewrite q2r_0. apply derivable_pt_lim_const. }
  exists Y, (th / w). split; [apply Rdiv_lt_0_compat; assumption|]. split; [constructor|split; [|split]].
  - intros i Hi. apply cont_on_of. intros t. apply derivable_continuous_pt. eexists. apply (Der t); apply Hg.
  - intros t Ht i Hi. unfold Y. assert (D0 := Der t _ (proj1 (Hg i)) (proj2 (Hg i))).
    assert (E0 : eval (env w t) (Sub (deriv along_family (nth i g (Num 0))) (subst g (nth i f (Num 0)))) = 0).
    { apply (all_give_ok A (env w t) _ (FA _) _ HF). apply in_map_iff. exists i. split; [reflexivity|].
      apply in_seq. lia. }
    unfold Sub, Neg, mone in E0. cbn [eval] in E0. rewrite q2r_m1, subst_ok in E0.
    replace (eval (fun i => eval (env w t) (nth i g (Num 0))) (nth i f (Num 0))) with (eval (env w t) (deriv
      along_family (nth i g (Num 0)))) by lra. exact D0.
  - intros t Ht q Hq. unfold Y. rewrite <- subst_ok. apply (all_give_ok A (env w t) _ (FA _) _ HE).
    apply in_map, Hq.
  - intros q Hq. unfold Y. rewrite <- subst_ok. apply (all_give_ok A (env w 0) _ (FA _) _ HL).
    apply in_map, Hq.
  - intros i Hi. unfold Y. apply HW; [lra|exact Hi].
  - exists k. split; [exact Hk|]. unfold Y. set (x := env w (th / w)).
    assert (X0 : x 0%nat = th) by (unfold x, env; field; lra). assert (X1 : x 1%nat = w) by reflexivity.
    assert (S2 : S1 2 x = th + w) by (change (S1 2 x) with (0 + Rabs (x 0%nat) + Rabs (x 1%nat));
      rewrite X0, X1, !Rabs_right by lra; ring).
    specialize (HG x). rewrite S2, X0 in HG. specialize (HG ltac:(lra)).
    rewrite (eval_ext 2 _ x) in HG; [|intros [|[|?]] Hi'; try lia; unfold shift, vec, zero2; simpl;
      rewrite q2r_0; ring|exact BG].
    unfold G, Sub, Neg, mone in HG. cbn [eval] in HG. rewrite q2r_m1, coordinate_ok in HG.
    set (v := eval x (nth k g (Num 0)) - vec e k). replace (eval x (nth k g (Num 0)) + -1 * vec e k - lam *
      th) with (v - lam * th) in HG by (unfold v; ring).
    assert (B : M * (th + w) ^ 2 <= Rabs lam * th / 2).
    { assert ((th + w) ^ 2 <= 4 * (th * th)). { simpl. rewrite Rmult_1_r.
      replace (4 * (th * th)) with ((th + th) * (th + th)) by ring. apply Rmult_le_compat; lra. }
      assert (M * (th + w) ^ 2 <= (M + 1) * (4 * (th * th))) by (apply Rmult_le_compat; try lra;
        apply pow_le; lra).
      assert (th * (8 * (M + 1)) <= Rabs lam).
      { replace (Rabs lam) with (Rabs lam / (8 * (M + 1)) * (8 * (M + 1))) by (field; lra).
        apply Rmult_le_compat_r; lra. }
      assert (th * (th * (8 * (M + 1))) <= th * Rabs lam) by (apply Rmult_le_compat_l; lra). lra. }
    assert (Rabs (lam * th) <= Rabs v + Rabs (v - lam * th)).
    { replace (lam * th) with (v - (v - lam * th)) at 1 by ring. eapply Rle_trans; [apply Rabs_triang|].
      rewrite Rabs_Ropp. lra. }
    rewrite Rabs_mult, (Rabs_right th) in H by lra. lra.
Qed.
End Over.
