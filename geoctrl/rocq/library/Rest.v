(* The point is at rest: field, equations and leaf relations vanish there. *)
From Coq Require Import Reals QArith Qreals Qreduction List Lra Lia Bool PeanoNat ZArith Classical_Prop.
From Geoctrl Require Import OneDimension Orders Expressions Derivative Fields Polynomials Identities Taylor
  Jets
  Definite Motions EnergyCasimir Unknowns Rates Asymptotic Instability LevelStability Drift.
Import ListNotations.
Local Open Scope R_scope.

Section Over.
Context {FF : field}.

(* ---- the point with its unknowns is a motion at rest on the leaf ---- *)
Lemma zero_at_value k p a : zero_at k p a = true -> eval (vec p) a = 0.
Proof.
  unfold zero_at. intros H. apply andb_true_iff in H. destruct H as [_ H].
  destruct (jet_of k p a) as [j|] eqn:E; [|discriminate]. apply jet_of_ok in E.
  destruct (jc j) as [q|] eqn:Ec; [|discriminate]. destruct E as (V & _). rewrite (V q Ec).
    apply (val_zero FF), H.
Qed.
Definition rest_check (n m : nat) (f eqs leaf : list expr) (p : list expr) : bool := forallb (zero_at (n + m)
  p) (f ++ eqs ++ leaf).
Lemma rest_value n m f eqs leaf p : rest_check n m f eqs leaf p = true ->
  forall a, In a (f ++ eqs ++ leaf) -> eval (vec p) a = 0.
Proof. unfold rest_check. rewrite forallb_forall. intros H a Ha. apply (zero_at_value (n + m)), H, Ha. Qed.
Lemma cont_on_const c T : cont_on (fun _ => c) T.
Proof. intros t _ eps He. exists 1. split; [lra|]. intros. rewrite Rminus_diag_eq, Rabs_R0 by reflexivity.
  exact He. Qed.
Theorem at_rest n m f eqs leaf p : rest_check n m f eqs leaf p = true ->
  forall T, motion n f eqs (fun _ => vec p) T /\ forall g, In g leaf -> eval (vec p) g = 0.
Proof.
  intros H T. assert (V := rest_value _ _ _ _ _ _ H). split; [constructor|].
  - intros i Hi. apply (cont_on_const (vec p i) T).
  - intros t Ht i Hi. replace (eval (vec p) (nth i f (Num 0))) with 0; [apply derivable_pt_lim_const|].
    symmetry. apply nth_zero. intros q Hq. apply V. apply in_app_iff. left; exact Hq.
  - intros t Ht q Hq. apply V. apply in_app_iff. right. apply in_app_iff. left; exact Hq.
  - intros g Hg. apply V. apply in_app_iff. right. apply in_app_iff. right; exact Hg.
Qed.
End Over.
