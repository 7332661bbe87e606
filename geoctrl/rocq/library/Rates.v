(* A function V of the states whose rate is known along all motions that stay near the point. *)
From Coq Require Import Reals QArith Qreals Qreduction List Lra Lia Bool PeanoNat ZArith Classical_Prop.
From Geoctrl Require Import OneDimension Orders Expressions Derivative Fields Polynomials Identities Taylor
  Jets
  Definite Motions EnergyCasimir Unknowns.
Import ListNotations.
Local Open Scope R_scope.

Section Over.
Context {FF : field}.

(* ---- a function V whose rate is known along motions near the point ---- *)
Record plant := Plant {
  p_n : nat; p_m : nat; p_f : list expr; p_eqs : list expr; p_e : list expr; p_atoms : list expr;
  p_leaf : list func; p_us : list unknown }.
Record rate := Rate { r_V : expr; r_a : Q; r_K : Q; r_c : Q; r_w : squares }.

Definition plant_check (P : plant) : bool :=
  Nat.eqb (length (p_e P)) (p_n P) && Nat.eqb (length (p_us P)) (p_m P) &&
  forallb (has_jet_at (p_n P) (p_e P)) (p_atoms P) && forallb (fun F => zero_at (p_n P) (p_e P) (fe F))
    (p_leaf P) &&
  forallb (fun F => kept (p_n P) (p_m P) (p_f P) (p_eqs P) (p_atoms P) [] (fe F) (fcomb F)) (p_leaf P) &&
  unknowns_check (p_n P) (p_m P) (p_eqs P) (p_e P) (p_atoms P) (p_us P) 0 (p_us P).
Definition rate_check (P : plant) (U : expr) (D : rate) : bool :=
  zero_at (p_n P) (p_e P) (r_V D) &&
  positive_check (p_n P) (p_m P) (p_e P) (p_us P) (r_K D) (r_c D) (r_w D) U (map fe (p_leaf P) ++ p_eqs P).

Lemma vec_app1 e z i : (i < length e)%nat -> vec (e ++ z) i = vec e i.
Proof. intros H. unfold vec. rewrite app_nth1; [reflexivity|exact H]. Qed.
Lemma vec_app2 e z i : vec (e ++ z) (length e + i) = vec z i.
Proof. unfold vec. rewrite app_nth2 by lia. f_equal. f_equal. lia. Qed.

Definition wrap (Y : R -> nat -> R) (T t : R) : nat -> R := Y (clamp T t).

Lemma wrap_motion n f eqs Y T : 0 <= T -> motion n f eqs Y T ->
  (forall t, 0 <= t <= T -> wrap Y T t = Y t) /\
  (forall i, (i < n)%nat -> continuity (fun t => wrap Y T t i)) /\
  (forall t, 0 < t < T -> forall i, (i < n)%nat -> derivable_pt_lim (fun s => wrap Y T s i) t (eval (wrap Y
    T t) (nth i f (Num 0)))) /\
  (forall t, 0 < t < T -> forall q, In q eqs -> eval (wrap Y T t) q = 0).
Proof.
  intros HT M. assert (E : forall t, 0 <= t <= T -> wrap Y T t = Y t) by (intros t Ht; unfold wrap;
    rewrite clamp_id by exact Ht; reflexivity).
  repeat split; [exact E|..].
  - intros k Hk. apply (cont_clamp (fun t => Y t k) T HT). apply (m_cont _ _ _ _ _ M), Hk.
  - intros u Hu k Hk. rewrite E by lra. apply (deriv_clamp (fun t => Y t k) T u); [exact Hu|].
    apply (m_der _ _ _ _ _ M); assumption.
  - intros u Hu q Hq. rewrite E by lra. apply (m_eqs _ _ _ _ _ M u Hu q Hq).
Qed.

Lemma has_jet_at_fine n e l : forallb (has_jet_at n e) l = true ->
  exists r, 0 < r /\ forall y, S1 n (off (vec e) y) <= r -> forall a, In a l -> fine y a.
Proof.
  intros H. rewrite forallb_forall in H. destruct (all_fine n e l) as (r & Hr & K).
  { intros a Ha. specialize (H a Ha). unfold has_jet_at in H. apply andb_true_iff in H. destruct H as [_ H].
    destruct (jet_of n e a) as [j|]; [exists j; reflexivity|discriminate]. }
  exists r. split; [exact Hr|]. intros y Hy a Ha. apply (fine_ext n (shift e (off (vec e) y))); [intros;
    apply shift_off| |apply K; assumption].
  specialize (H a Ha). unfold has_jet_at in H. apply andb_true_iff in H. tauto.
Qed.
Lemma zero_at_has k p a : zero_at k p a = true -> has_jet_at k p a = true.
Proof.
  unfold zero_at, has_jet_at. intros H. apply andb_true_iff in H. destruct H as [B H]. rewrite B. simpl.
  destruct (jet_of k p a); [reflexivity|discriminate].
Qed.

Lemma along (P : plant) U D : plant_check P = true -> rate_check P U D = true ->
  exists r, 0 < r /\ forall Y T, 0 <= T -> motion (p_n P) (p_f P) (p_eqs P) Y T ->
    (forall g, In g (map fe (p_leaf P)) -> eval (Y 0) g = 0) -> forall u, 0 <= u <= T ->
    (forall s, 0 <= s <= u -> S1 (p_n P) (off (vec (p_e P)) (wrap Y T s)) <= r) ->
    (forall s, 0 <= s <= u -> (forall g, In g (map fe (p_leaf P)) ->
      eval (wrap Y T s) g = 0) /\ fine (wrap Y T s) (r_V D)) /\
    (forall s, 0 < s < u -> 0 <= eval (wrap Y T s) U).
Proof.
  unfold plant_check, rate_check. destruct P as [n m f eqs e atoms leaf us].
    cbn [p_n p_m p_f p_eqs p_e p_atoms p_leaf p_us].
  intros H HR. apply andb_true_iff in HR. destruct HR as [HV HP].
  apply andb_true_iff in H. destruct H as [H Hu]. apply andb_true_iff in H. destruct H as [H Hk].
  apply andb_true_iff in H. destruct H as [H Hz]. apply andb_true_iff in H. destruct H as [H Ha].
  apply andb_true_iff in H. destruct H as [He Hm]. apply Nat.eqb_eq in He. apply Nat.eqb_eq in Hm.
  destruct (unknown_bound n m eqs e atoms us Hu Hm) as (M & r1 & HM & Hr1 & HZ).
  destruct (positive_near n m e us _ _ _ _ _ HP) as (r2 & Hr2 & HU).
  rewrite forallb_forall in Hz, Hk.
  destruct (has_jet_at_fine n e (r_V D :: map fe leaf ++ atoms)) as (r3 & Hr3 & HF).
  { simpl. rewrite (zero_at_has _ _ _ HV). simpl. rewrite forallb_app, Ha, andb_true_r. apply forallb_forall.
    intros g Hg. apply in_map_iff in Hg. destruct Hg as (F & <- & HF). apply zero_at_has, Hz, HF. }
  set (r := Rmin (Rmin r1 r3) (r2 / (1 + M))).
  assert (B1 : r <= Rmin r1 r3) by apply Rmin_l. assert (B2 : r <= r2 / (1 + M)) by apply Rmin_r.
  assert (B3 : Rmin r1 r3 <= r1) by apply Rmin_l. assert (B4 : Rmin r1 r3 <= r3) by apply Rmin_r.
  exists r. split; [apply Rmin_pos; [apply Rmin_pos; assumption|apply Rdiv_lt_0_compat; lra]|].
  intros Y T HT HMo H0 u Hu' Hin. destruct (wrap_motion n f eqs Y T HT HMo) as (XE & XC & XD & XQ).
  assert (Fine : forall s, 0 <= s <= u -> forall a, In a (r_V D :: map fe leaf ++ atoms) ->
    fine (wrap Y T s) a).
  { intros s Hs a Hin'. apply HF; [specialize (Hin s Hs); lra|exact Hin']. }
  assert (Leaf : forall s, 0 <= s <= u -> forall g, In g (map fe leaf) -> eval (wrap Y T s) g = 0).
  { intros s Hs g Hg. assert (Hg' := Hg). apply in_map_iff in Hg. destruct Hg as (F & <- & HF').
    rewrite (kept_ok n m f eqs atoms [] (fe F) (fcomb F) (wrap Y T) s (Hk F HF') XC); try lra.
    - rewrite XE by lra. apply H0, Hg'.
    - intros v Hv. apply XD; lra.
    - intros v Hv. apply XQ; lra.
    - intros v Hv g [].
    - intros v Hv. split; [apply Fine; [lra|right; apply in_app_iff; left; exact Hg']|].
      intros a Haa. apply Fine; [lra|right; apply in_app_iff; right; exact Haa]. }
  split.
  - intros s Hs. split; [apply Leaf, Hs|]. apply Fine; [exact Hs|left; reflexivity].
  - intros s Hs. assert (Hs' : 0 <= s <= u) by lra. set (y := wrap Y T s).
    assert (Hy : S1 n (off (vec e) y) <= r) by (apply Hin; lra).
    assert (Z : Z_of n m us y <= M * S1 n (off (vec e) y)).
    { apply HZ; [split|unfold h_of; lra].
      - intros q Hq. apply XQ; [lra|exact Hq].
      - intros a Haa. apply Fine; [exact Hs'|right; apply in_app_iff; right; exact Haa]. }
    apply HU.
    + unfold ez. rewrite S1_split.
      rewrite (S1_ext n (off (vec (e ++ ze us)) y) (off (vec e) y)).
      2:{ intros i Hi. unfold off. rewrite vec_app1 by lia. reflexivity. }
      rewrite (S1_ext m _ (fun l => y (n + l)%nat - vec (ze us) l)).
      2:{ intros i Hi. unfold off. rewrite <- He, vec_app2. reflexivity. }
      fold (Z_of n m us y). assert (Sp := S1_pos n (off (vec e) y)).
      apply Rle_trans with ((1 + M) * r); [|apply Rle_trans with ((1 + M) * (r2 / (1 + M)));
        [apply Rmult_le_compat_l; lra|right; field; lra]].
      assert ((1 + M) * S1 n (off (vec e) y) <= (1 + M) * r) by (apply Rmult_le_compat_l; lra). lra.
    + intros a Haa. apply in_app_iff in Haa. destruct Haa as [Haa|Haa]; [apply Leaf; assumption|apply XQ;
      [lra|exact Haa]].
Qed.
End Over.
