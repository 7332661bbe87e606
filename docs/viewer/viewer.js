// Scenes of geoctrl that move: rigid bodies with their poses at equal steps of time, trails, and signals beside.
// The data are those of `geoctrl.viz.Scene.data`; numbers come as base64 of little-endian float32.

import {
  AmbientLight, BoxGeometry, BufferAttribute, BufferGeometry, Color, ConeGeometry, CylinderGeometry,
  DirectionalLight, DoubleSide, EdgesGeometry, Group, Line, LineBasicMaterial, LineSegments, Mesh,
  MeshLambertMaterial, PerspectiveCamera, Quaternion, Scene, SphereGeometry, Vector3, WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";

const POSE = 7; // x, y, z and the quaternion, scalar last

function floats(text) {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  return new Float32Array(bytes.buffer);
}

function element(parent, tag, attributes = {}, text = "") {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text) made.textContent = text;
  parent.append(made);
  return made;
}

// -- what is seen --------------------------------------------------------------------------------------

const alongZ = (geometry) => geometry.rotateX(Math.PI / 2); // three's cylinders stand along y

const geometries = {
  box: ({ size }) => new BoxGeometry(...size),
  cylinder: ({ radius, length }) => alongZ(new CylinderGeometry(radius, radius, length, 40)),
  cone: ({ radius, length }) => alongZ(new ConeGeometry(radius, length, 28)),
  ellipsoid: ({ size }) => new SphereGeometry(1, 36, 24).scale(...size.map((s) => s / 2)),
};

function shapeOf(shape) {
  const geometry = geometries[shape.kind](shape);
  const transparent = shape.opacity < 1;
  const material = new MeshLambertMaterial({
    color: new Color(shape.colour), transparent, opacity: shape.opacity, side: transparent ? DoubleSide : 0,
  });
  const mesh = new Mesh(geometry, material);
  if (shape.kind === "box" || shape.edges) {
    const dark = new Color(shape.colour).multiplyScalar(0.55);
    mesh.add(new LineSegments(new EdgesGeometry(geometry, 25), new LineBasicMaterial({ color: dark })));
  }
  if (shape.mark) { // a stripe that shows how a round part turns
    const stripe = new Mesh(
      new BoxGeometry(shape.radius * 1.96, shape.radius * 0.16, shape.length * 1.04),
      new MeshLambertMaterial({ color: new Color(shape.colour).multiplyScalar(0.5) }),
    );
    mesh.add(stripe);
  }
  mesh.position.fromArray(shape.place);
  mesh.quaternion.fromArray(shape.turn);
  return mesh;
}

function segments(points, colour, opacity = 1) {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(points), 3));
  const material = new LineBasicMaterial({ color: new Color(colour), transparent: opacity < 1, opacity });
  return new LineSegments(geometry, material);
}

// Short pieces: long lines that pass behind the eye vanish where a machine draws without a graphics card.
function gridOf({ height, size, step, centre }, turn) {
  const points = [];
  const count = Math.round(size / step);
  for (let i = -count; i <= count; i += 1) {
    for (let j = -count; j < count; j += 1) {
      points.push(i * step, j * step, 0, i * step, (j + 1) * step, 0);
      points.push(j * step, i * step, 0, (j + 1) * step, i * step, 0);
    }
  }
  const grid = segments(points, "#9fb3c0", 0.45);
  grid.position.set(centre[0], centre[1], height);
  grid.position.applyQuaternion(turn);
  grid.quaternion.copy(turn);
  return grid;
}

class Stage {
  constructor(place, data) {
    this.place = place;
    this.renderer = new WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, 2));
    place.append(this.renderer.domElement);
    this.scene = new Scene();
    this.scene.background = new Color("#f7f9fa");
    this.scene.add(new AmbientLight("#ffffff", 1.5));
    const sun = new DirectionalLight("#ffffff", 2.1);
    this.turn = new Quaternion().fromArray(data.view.turn); // from axis 3 to what is up
    sun.position.set(-2, -3, 5).applyQuaternion(this.turn);
    this.scene.add(sun);
    this.camera = new PerspectiveCamera(32, 1, data.view.radius / 50, data.view.radius * 200);
    this.camera.up.set(0, 0, 1).applyQuaternion(this.turn);
    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.controls.enableDamping = false;
    this.view = data.view;
    if (data.ground) this.scene.add(gridOf(data.ground, this.turn));
    this.bodies = data.bodies.map((body) => {
      const group = new Group();
      for (const shape of body.shapes) group.add(shapeOf(shape));
      this.scene.add(group);
      return { group, poses: floats(body.poses) };
    });
    this.trails = data.trails.map((trail) => {
      const geometry = new BufferGeometry();
      geometry.setAttribute("position", new BufferAttribute(floats(trail.points), 3));
      const line = new Line(geometry, new LineBasicMaterial({ color: new Color(trail.colour) }));
      line.frustumCulled = false;
      this.scene.add(line);
      return geometry;
    });
    this.follow = data.follow === null ? null : this.bodies[data.follow];
    this.home();
  }

  home() {
    const { centre, radius, azimuth, elevation } = this.view;
    const a = (azimuth * Math.PI) / 180;
    const e = (elevation * Math.PI) / 180;
    const away = new Vector3(Math.cos(a) * Math.cos(e), Math.sin(a) * Math.cos(e), Math.sin(e)).applyQuaternion(this.turn);
    this.controls.target.fromArray(centre);
    const narrow = Math.max(1, 1.2 / Math.max(this.camera.aspect, 0.2));
    this.camera.position.copy(this.controls.target).addScaledVector(away, 3.3 * radius * narrow);
    this.controls.update();
    this.seen = null;
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.place;
    if (!width || !height) return;
    this.renderer.setSize(width, height, false);
    const first = !this.sized;
    this.sized = true;
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    if (first) this.home();
  }

  // Poses between two frames: places linear, turns along the great circle.
  show(at) {
    const i = Math.floor(at);
    const part = at - i;
    const p = new Vector3();
    const q = new Quaternion();
    for (const { group, poses } of this.bodies) {
      const last = poses.length / POSE - 1;
      const [a, b] = [Math.min(i, last) * POSE, Math.min(i + 1, last) * POSE];
      group.position.fromArray(poses, a).lerp(p.fromArray(poses, b), part);
      group.quaternion.fromArray(poses, a + 3).slerp(q.fromArray(poses, b + 3), part);
    }
    for (const geometry of this.trails) geometry.setDrawRange(0, Math.min(i + 1, geometry.attributes.position.count));
    if (this.follow) {
      const place = this.follow.group.position;
      const moved = this.seen ? place.clone().sub(this.seen) : place.clone().sub(new Vector3().fromArray(this.follow.poses, 0));
      this.camera.position.add(moved);
      this.controls.target.add(moved);
      this.seen = place.clone();
    }
    this.draw();
  }

  draw() {
    this.controls.update();
    this.renderer.render(this.scene, this.camera);
  }
}

// -- signals -------------------------------------------------------------------------------------------

class Signals {
  constructor(place, data, seek) {
    this.duration = data.step * (data.count - 1);
    this.start = data.start;
    this.rows = data.signals.map((signal) => {
      const row = element(place, "div", { class: "gcv-signal" });
      element(row, "span", { class: "gcv-label" }, signal.unit ? `${signal.name} (${signal.unit})` : signal.name);
      const number = element(row, "span", { class: "gcv-number" });
      const canvas = element(row, "canvas", { role: "img", "aria-label": `${signal.name} over time` });
      const drag = (event) => {
        if (event.buttons & 1) {
          const box = canvas.getBoundingClientRect();
          seek(Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)));
        }
      };
      canvas.addEventListener("pointerdown", (event) => { canvas.setPointerCapture(event.pointerId); drag(event); });
      canvas.addEventListener("pointermove", drag);
      const lines = signal.lines.map((line) => ({ colour: line.colour, values: floats(line.values) }));
      return { canvas, number, lines };
    });
  }

  show(at) {
    for (const { canvas, number, lines } of this.rows) {
      const ratio = Math.min(window.devicePixelRatio || 1, 2);
      const [width, height] = [canvas.clientWidth, canvas.clientHeight];
      if (!width) continue;
      if (canvas.width !== Math.round(width * ratio)) {
        canvas.width = Math.round(width * ratio);
        canvas.height = Math.round(height * ratio);
      }
      const pen = canvas.getContext("2d");
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      pen.clearRect(0, 0, width, height);
      let [low, high] = [Infinity, -Infinity];
      for (const { values } of lines) for (const v of values) if (Number.isFinite(v)) { low = Math.min(low, v); high = Math.max(high, v); }
      const room = Math.max(high - low, 1e-3 * Math.max(Math.abs(low), Math.abs(high)), Number.MIN_VALUE);
      const y = (v) => height - 4 - ((v - (low + high) / 2) / room + 0.5) * (height - 8);
      if (low < 0 && high > 0) {
        pen.strokeStyle = "#d5dde2";
        pen.beginPath(); pen.moveTo(0, y(0)); pen.lineTo(width, y(0)); pen.stroke();
      }
      const words = [];
      for (const { colour, values } of lines) {
        const last = values.length - 1;
        const x = (i) => (i / Math.max(1, last)) * width;
        pen.strokeStyle = colour;
        pen.lineWidth = 1.5;
        pen.beginPath();
        let down = false;
        values.forEach((v, i) => {
          if (Number.isFinite(v)) { if (down) pen.lineTo(x(i), y(v)); else pen.moveTo(x(i), y(v)); }
          down = Number.isFinite(v);
        });
        pen.stroke();
        const k = Math.min(Math.round(at), last);
        if (Number.isFinite(values[k])) {
          words.push(Number(values[k].toPrecision(3)).toString());
          pen.fillStyle = colour;
          pen.beginPath(); pen.arc(Math.min(x(at), width), y(values[k]), 3, 0, 7); pen.fill();
        } else words.push("-");
      }
      const cursor = Math.min(at / Math.max(1, lines[0].values.length - 1), 1) * width;
      pen.strokeStyle = "#64748b";
      pen.lineWidth = 1;
      pen.beginPath(); pen.moveTo(cursor, 0); pen.lineTo(cursor, height); pen.stroke();
      number.textContent = words.join("   ");
    }
  }
}

// -- the player ----------------------------------------------------------------------------------------

function player(root, data) {
  root.classList.add("gcv");
  root.setAttribute("tabindex", "0");
  const stagePlace = element(root, "div", { class: "gcv-stage" });
  if (data.legend.length > 1) {
    const legend = element(stagePlace, "div", { class: "gcv-legend" });
    for (const { name, colour } of data.legend) {
      const entry = element(legend, "span");
      element(entry, "i", { style: `background:${colour}` });
      entry.append(name);
    }
  }
  const bar = element(root, "div", { class: "gcv-bar" });
  const play = element(bar, "button", { type: "button", "aria-label": "play or pause" });
  const slider = element(bar, "input", { type: "range", min: 0, max: data.count - 1, step: "any", value: 0, "aria-label": "time" });
  const clock = element(bar, "output", { class: "gcv-clock" });
  const speed = element(bar, "select", { "aria-label": "speed" });
  for (const s of [0.1, 0.25, 0.5, 1, 2, 5]) element(speed, "option", { value: s }, `${s}x`);
  speed.value = String(data.speed);
  const back = element(bar, "button", { type: "button", "aria-label": "first view" }, "view");
  const plots = element(root, "div", { class: "gcv-signals" });

  let stage;
  try {
    stage = new Stage(stagePlace, data);
  } catch {
    element(stagePlace, "p", { class: "gcv-none" }, "This browser shows no 3-D graphics (WebGL).");
    return;
  }
  const last = data.count - 1;
  let at = 0;
  let playing = false;
  let before = 0;
  const show = () => {
    slider.value = at;
    clock.textContent = `${(data.start + at * data.step).toFixed(2)} ${data.time_unit}`;
    stage.show(at);
    signals.show(at);
  };
  const set = (value) => { at = Math.min(last, Math.max(0, value)); show(); };
  const signals = new Signals(plots, data, (part) => set(part * last));
  const state = (on) => {
    playing = on;
    play.textContent = on ? "\u275A\u275A" : "\u25B6";
    if (on) {
      if (at >= last) at = 0;
      before = performance.now();
      requestAnimationFrame(frame);
    }
  };
  const frame = (now) => {
    if (!playing) return;
    // The time of a frame may be a little before the click that it follows.
    at += ((Math.max(0, now - before) / 1000) * Number(speed.value)) / data.step;
    before = now;
    if (at >= last) {
      if (data.loop) at = 0;
      else { at = last; state(false); }
    }
    show();
    if (playing) requestAnimationFrame(frame);
  };
  play.addEventListener("click", () => state(!playing));
  back.addEventListener("click", () => { stage.home(); show(); });
  slider.addEventListener("input", () => set(Number(slider.value)));
  stage.controls.addEventListener("change", () => { if (!playing) stage.renderer.render(stage.scene, stage.camera); });
  root.addEventListener("keydown", (event) => {
    const step = Math.max(1, last / 50);
    const keys = { " ": () => state(!playing), ArrowRight: () => set(at + step), ArrowLeft: () => set(at - step), Home: () => set(0), End: () => set(last), v: () => { stage.home(); show(); } };
    if (keys[event.key] && !["SELECT", "BUTTON"].includes(event.target.tagName)) {
      event.preventDefault();
      keys[event.key]();
    }
  });
  new ResizeObserver(() => { stage.resize(); show(); }).observe(root);
  stage.resize();

  // `#t=1.5` shows that time, at rest.
  const asked = /[#&]t=([-+.\de]+)/.exec(window.location.hash);
  const calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  state(false);
  if (asked) set((Number(asked[1]) - data.start) / data.step);
  else {
    show();
    if (data.autoplay && !calm) state(true);
  }
}

window.geoctrlScene = (root, data) => player(root, data);
