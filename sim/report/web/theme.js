// Light or dark, and the colours of the charts: Okabe and Ito's, which the colour-blind can tell apart.

const colour_of_phase = {
  compute: '#0072b2',
  pack: '#e69f00',
  unpack: '#f0e442',
  copy: '#009e73',
  wait: '#cc79a7',
  put: '#d55e00',
  get: '#d55e00',
  send: '#d55e00',
  receive: '#56b4e9',
  barrier: '#8a8f98',
};
let colours_of_functions = ['#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#f0e442'];
const known_functions = [];
const series = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9'];
const viridis = ['#440154', '#3b528b', '#21918c', '#5ec962', '#fde725'];

const root = document.documentElement;
const listeners = new Set();

export const is_dark = () => root.dataset.theme === 'dark';

/** MPI functions get a colour each in the order in which they are asked for, the longest first; the last ones share one. */
function colour_of_function(name) {
  if (!name.startsWith('MPI_')) return '#8a8f98';
  if (!known_functions.includes(name)) known_functions.push(name);
  return colours_of_functions[known_functions.indexOf(name)] ?? '#8a8f98';
}

/** Where phases and MPI functions are drawn together, functions get no colour of these phases. */
export function reserve_for(phases) {
  const taken = phases.map((kind) => colour_of_phase[kind]);
  colours_of_functions = colours_of_functions.filter((colour) => !taken.includes(colour));
}

/** Calls `listener` whenever the theme changes. @return what ends that */
export function on_theme(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function set(dark) {
  root.dataset.theme = dark ? 'dark' : 'light';
  const button = document.getElementById('theme');
  button.textContent = dark ? 'Light' : 'Dark';
  button.setAttribute('aria-label', dark ? 'Switch to light colours' : 'Switch to dark colours');
  listeners.forEach((listener) => listener());
}

export function start_theme() {
  const preference = matchMedia('(prefers-color-scheme: dark)');
  set(preference.matches);
  preference.addEventListener('change', () => set(preference.matches));
  document.getElementById('theme').addEventListener('click', () => set(!is_dark()));
}

/** The colours that hold at the moment. */
export function colours() {
  const style = getComputedStyle(root);
  const variable = (name) => style.getPropertyValue(name).trim();
  return {
    page: variable('--page'),
    panel: variable('--panel'),
    text: variable('--text'),
    muted: variable('--muted'),
    line: variable('--line'),
    measured: '#009e73',
    simulated: is_dark() ? '#56b4e9' : '#0072b2',
    closed_form: is_dark() ? '#e69f00' : '#d55e00',
    phase: (kind) => (is_dark() && kind === 'compute' ? '#2b8fd0' : (colour_of_phase[kind] ?? colour_of_function(kind))),
    series: (number) => (is_dark() && number % 6 === 0 ? '#2b8fd0' : series[number % series.length]),
  };
}

/** Colour of a share from 0 to 1: more is further from the page's own colour. */
export function heat(share) {
  const stops = is_dark() ? viridis : [...viridis].reverse();
  const at = Math.min(1, Math.max(0, share)) * (stops.length - 1);
  const lower = Math.min(stops.length - 2, Math.floor(at));
  const channel = (stop, offset) => parseInt(stops[stop].slice(offset, offset + 2), 16);
  const mixed = [1, 3, 5].map((offset) =>
    Math.round(channel(lower, offset) + (at - lower) * (channel(lower + 1, offset) - channel(lower, offset))),
  );
  return `rgb(${mixed.join(',')})`;
}
