// Which points of a study are shown, and by what: the sections of the page share it.

const sources = { simulated_s: 'simulated', closed_form_s: 'closed form' };
const views = new WeakMap();

/** The page's one view of its study. */
export function view_of(data) {
  if (!views.has(data)) views.set(data, new View(data.study));
  return views.get(data);
}

class View {
  #study;
  #filters;
  #listeners = [];

  constructor(study) {
    this.#study = study;
    this.#filters = study.axes.map(() => undefined);
    const has = (key) => study.points.some((point) => point[key] !== undefined);
    /** Keys of the times that any point has. */
    this.times = Object.keys(sources).filter(has);
    this.time = this.times[0];
    this.has_energy = has('simulated_j');
    /** Points are of several jobs. */
    this.has_slow_down = has('slow_down');
    /** 'node_hours' or 'joules' */
    this.cost = 'node_hours';
    /** Different values of each axis, in order. */
    this.values = study.axes.map((_, axis) =>
      [...new Set(study.points.map((point) => point.values[axis]))].sort(in_order),
    );
  }

  /** The points that have the chosen time and cost, and all chosen values. */
  points() {
    return this.#study.points.filter(
      (point) =>
        point[this.time] !== undefined &&
        cost_of(this, point) !== undefined &&
        this.#filters.every((value, axis) => value === undefined || point.values[axis] === value),
    );
  }
  set(changes) {
    Object.assign(this, changes);
    this.#listeners.forEach((listener) => listener());
  }
  /** @param value  undefined: all */
  filter(axis, value) {
    this.#filters[axis] = value;
    this.set({});
  }
  on_change(listener) {
    this.#listeners.push(listener);
  }
}

export const name_of_time = (key) => sources[key];

/** undefined where it is not known */
export const cost_of = (view, point) =>
  view.cost === 'joules' ? point.simulated_j : (point.nodes * point[view.time]) / 3600;

/** Numbers by size, before texts by letters; what there is none of at last. */
export function in_order(a, b) {
  const missing = (value) => value === null || value === undefined;
  if (missing(a) || missing(b)) return missing(a) - missing(b);
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a).localeCompare(String(b), 'en', { numeric: true });
}

/**
 * The points that no other one beats: whatever is as fast costs more, the fastest first.
 * @param points  any
 */
export function front_of(view, points) {
  const sorted = [...points].sort(
    (a, b) => a[view.time] - b[view.time] || cost_of(view, a) - cost_of(view, b),
  );
  let least = Infinity;
  return sorted.filter((point) => {
    const better = cost_of(view, point) < least;
    if (better) least = cost_of(view, point);
    return better;
  });
}
