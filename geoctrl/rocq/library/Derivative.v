(* The derivative of an expression along x' = f is an expression: proved where all its parts are
   differentiable. *)
From Coq Require Import Reals QArith Qreals Qreduction List Lra Lia Bool PeanoNat ZArith Classical_Prop.
From Geoctrl Require Import OneDimension Orders Expressions.
Import ListNotations.
Local Open Scope R_scope.

(* ---- derivative along a motion ---- *)
Definition half : expr := Num (1 # 2).
Definition one : expr := Num 1.
Definition mone : expr := Num (-1 # 1).
Definition Neg e := Mul mone e.
Definition Sub a b := Add a (Neg b).
Fixpoint deriv (f : list expr) (e : expr) : expr :=
  match e with
  | Num _ => Num 0 | Var i => nth i f (Num 0)
  | Add a b => Add (deriv f a) (deriv f b)
  | Mul a b => Add (Mul (deriv f a) b) (Mul a (deriv f b))
  | Inv a => Neg (Mul (deriv f a) (Mul (Inv a) (Inv a)))
  | Fun Sin a => Mul (Fun Cos a) (deriv f a)
  | Fun Cos a => Neg (Mul (Fun Sin a) (deriv f a))
  | Fun Sqrt a => Mul (Mul half (Inv (Fun Sqrt a))) (deriv f a)
  | Fun (Quad p q) a => Mul (Inv (Add (Mul (Num p) (Mul a a)) (Num q))) (deriv f a)
  end.

Lemma derivable_inv g t l : g t <> 0 -> derivable_pt_lim g t l ->
  derivable_pt_lim (fun s => / g s) t (- (l * (/ g t * / g t))).
Proof.
  intros Hn H.
  assert (K : derivable_pt_lim (fun s => 1 / g s) t ((0 * g t - l * 1) / Rsqr (g t))).
  { apply (derivable_pt_lim_div (fun _ => 1) g); [apply derivable_pt_lim_const|exact H|exact Hn]. }
  replace (- (l * (/ g t * / g t))) with ((0 * g t - l * 1) / Rsqr (g t)) by (unfold Rsqr; field; exact Hn).
  intros eps He. destruct (K eps He) as [d Hd]. exists d. intros h H1 H2.
  specialize (Hd h H1 H2). unfold Rdiv in Hd at 2 3. rewrite !Rmult_1_l in Hd. exact Hd.
Qed.

Lemma quad_deriv a b s : 0 < q2r a -> 0 < q2r b ->
  derivable_pt_lim (fnR (Quad a b)) s (/ (q2r a * (s * s) + q2r b)).
Proof.
  simpl. set (p := q2r a). set (q := q2r b). intros Hp Hq.
  assert (Hk : 0 < sqrt (p / q)) by (apply sqrt_lt_R0, Rdiv_lt_0_compat; assumption).
  assert (Hm : 0 < sqrt (p * q)) by (apply sqrt_lt_R0, Rmult_lt_0_compat; assumption).
  assert (Ek : sqrt (p / q) * sqrt (p / q) = p / q) by (apply sqrt_sqrt; left; apply Rdiv_lt_0_compat;
    assumption).
  assert (Em : sqrt (p / q) = sqrt (p * q) / q).
  { replace (p / q) with (p * q / (q * q)) by (field; lra).
    rewrite sqrt_div_alt by (apply Rmult_lt_0_compat; lra).
    rewrite sqrt_square by lra. reflexivity. }
  assert (K := derivable_pt_lim_atan (s * sqrt (p / q))).
  assert (J : derivable_pt_lim (fun s => s * sqrt (p / q)) s (sqrt (p / q))).
  { set (k := sqrt (p / q)).
    assert (J : derivable_pt_lim (fun s => s * k) s (1 * k + s * 0)).
    { apply (derivable_pt_lim_mult id (fun _ => k)); [apply derivable_pt_lim_id|apply
      derivable_pt_lim_const]. }
    replace (1 * k + s * 0) with k in J by ring. exact J. }
  assert (C := derivable_pt_lim_comp (fun s => s * sqrt (p / q)) atan s _ _ J K).
  assert (C2 := derivable_pt_lim_scal _ (/ sqrt (p * q)) s _ C).
  match type of C2 with derivable_pt_lim _ _ ?l => replace (/ (p * (s * s) + q)) with l end.
  - intros eps He. destruct (C2 eps He) as [d Hd]. exists d. intros h H1 H2. specialize (Hd h H1 H2).
    unfold mult_real_fct, comp in Hd. unfold Rdiv at 2 4. rewrite !(Rmult_comm _ (/ sqrt (p * q))). exact Hd.
  - assert (E : 0 < p * (s * s) + q).
    { assert (0 <= p * (s * s)) by (apply Rmult_le_pos; [lra|apply Rle_0_sqr]). lra. }
    match goal with |- context [1 + ?z] => replace z with (s * s * (p / q)) end.
    2:{ transitivity (s * s * (sqrt (p / q) * sqrt (p / q))); [rewrite Ek; reflexivity|unfold Rsqr; ring]. }
    rewrite Em. field. repeat split; try lra.
Qed.

Lemma deriv_ok n f (X : R -> nat -> R) t e :
  (forall i, (i < n)%nat -> derivable_pt_lim (fun s => X s i) t (eval (X t) (nth i f (Num 0)))) ->
  below n e = true -> fine (X t) e -> derivable_pt_lim (fun s => eval (X s) e) t (eval (X t) (deriv f e)).
Proof.
  intros H. induction e; simpl; intros B F.
  - rewrite q2r_0. apply derivable_pt_lim_const.
  - apply H. apply Nat.ltb_lt; exact B.
  - apply andb_true_iff in B. apply (derivable_pt_lim_plus (fun s => eval (X s) e1) (fun s => eval (X s)
    e2)); tauto.
  - apply andb_true_iff in B. apply (derivable_pt_lim_mult (fun s => eval (X s) e1) (fun s => eval (X s)
    e2)); tauto.
  - rewrite q2r_m1. replace (-1 * (eval (X t) (deriv f e) * (/ eval (X t) e * / eval (X t) e)))
      with (- (eval (X t) (deriv f e) * (/ eval (X t) e * / eval (X t) e))) by ring.
    apply (derivable_inv (fun s => eval (X s) e)); [tauto|apply IHe; tauto].
  - assert (Fe : fine (X t) e) by (destruct f0; tauto).
    specialize (IHe B Fe). destruct f0; simpl.
    + apply (derivable_pt_lim_comp (fun s => eval (X s) e) sin); [exact IHe|apply derivable_pt_lim_sin].
    + rewrite q2r_m1. replace (-1 * (sin (eval (X t) e) * eval (X t) (deriv f e)))
        with ((- sin (eval (X t) e)) * eval (X t) (deriv f e)) by ring.
      apply (derivable_pt_lim_comp (fun s => eval (X s) e) cos); [exact IHe|apply derivable_pt_lim_cos].
    + rewrite q2r_half. apply (derivable_pt_lim_comp (fun s => eval (X s) e) sqrt); [exact IHe|].
      destruct F as [_ F]. replace (/ 2 * / sqrt (eval (X t) e)) with (/ (2 * sqrt (eval (X t) e))).
      * apply derivable_pt_lim_sqrt. exact F.
      * assert (sqrt (eval (X t) e) <> 0) by (apply Rgt_not_eq, sqrt_lt_R0; exact F). field. assumption.
    + apply (derivable_pt_lim_comp (fun s => eval (X s) e) (fnR (Quad a b))); [exact IHe|].
      apply quad_deriv; tauto.
Qed.

Lemma cont_inv g t : g t <> 0 -> continuity_pt g t -> continuity_pt (fun s => / g s) t.
Proof. intros H K. apply (continuity_pt_inv g t K H). Qed.

Lemma eval_cont n (X : R -> nat -> R) t e :
  (forall i, (i < n)%nat -> continuity_pt (fun s => X s i) t) ->
  below n e = true -> fine (X t) e -> continuity_pt (fun s => eval (X s) e) t.
Proof.
  intros H. induction e; simpl; intros B F.
  - apply continuity_pt_const. intros a b; reflexivity.
  - apply H. apply Nat.ltb_lt; exact B.
  - apply andb_true_iff in B. apply (continuity_pt_plus (fun s => eval (X s) e1) (fun s => eval (X s) e2));
    tauto.
  - apply andb_true_iff in B. apply (continuity_pt_mult (fun s => eval (X s) e1) (fun s => eval (X s) e2));
    tauto.
  - apply cont_inv; [tauto|apply IHe; tauto].
  - assert (Fe : fine (X t) e) by (destruct f; tauto).
    specialize (IHe B Fe). apply (continuity_pt_comp (fun s => eval (X s) e) (fnR f)); [exact IHe|].
    destruct f; simpl.
    + apply continuity_sin. + apply continuity_cos.
    + apply continuity_pt_sqrt. destruct F as [_ F]. lra.
    + apply derivable_continuous_pt. eexists. apply quad_deriv; tauto.
Qed.
