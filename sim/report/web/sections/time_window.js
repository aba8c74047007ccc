// The window of time that a timeline draws, and what the colours in it mean.

import { axis } from '../chart.js';
import { element } from '../dom.js';
import * as format from '../format.js';
import { colours, on_theme } from '../theme.js';

/** The window of time that is drawn, moved by buttons and keys as well as by the wheel. */
export function zoom_buttons(figure, from_s, until_s) {
  const at = (percent) => format.seconds(from_s + (percent * (until_s - from_s)) / 100);
  const moved = (change) => {
    if (!figure.chart) figure.redraw();
    const zoom = figure.chart.getOption().dataZoom[0];
    const [start, end] = change(zoom.start, zoom.end);
    const width = Math.min(100, Math.max(0.05, end - start));
    const from = Math.min(100 - width, Math.max(0, start));
    figure.chart.dispatchAction({ type: 'dataZoom', start: from, end: from + width });
    status.textContent = `${at(from)} to ${at(from + width)}`;
  };
  const by = (factor) => (start, end) => [
    (start + end - factor * (end - start)) / 2,
    (start + end + factor * (end - start)) / 2,
  ];
  const along = (share) => (start, end) => [start + share * (end - start), end + share * (end - start)];
  const changes = {
    'Zoom in': by(0.5),
    'Zoom out': by(2),
    Earlier: along(-0.25),
    Later: along(0.25),
    'All of it': () => [0, 100],
  };
  const status = element('span', { role: 'status' });
  const buttons = Object.entries(changes).map(([name, change]) => {
    const button = element('button', { type: 'button' }, name);
    button.addEventListener('click', () => moved(change));
    return button;
  });
  return element(
    'div',
    { class: 'controls', role: 'group', 'aria-label': 'Window of time' },
    ...buttons,
    status,
  );
}

/** Only of phases that take time in the drawing. @param times  [number of the phase, seconds] of each span */
export function legend_of(phases, times) {
  const drawn = new Set(times.filter(([, seconds]) => seconds > 0).map(([phase]) => phase));
  const place = element('p', { class: 'legend' });
  const show = () => {
    const now = colours();
    const kinds = [...new Set(phases.filter((_, number) => drawn.has(number)).map((phase) => phase.kind))];
    place.replaceChildren(
      ...kinds.map((kind) => {
        const mark = element('i', { 'aria-hidden': 'true' });
        mark.style.background = now.phase(kind);
        return element('span', {}, mark, kind);
      }),
    );
  };
  show();
  on_theme(show);
  return place;
}

/** A slider below the axis, and the mouse. */
export const time_zoom = (now) => [
  {
    type: 'slider',
    xAxisIndex: 0,
    filterMode: 'weakFilter',
    bottom: 8,
    height: 22,
    showDataShadow: false,
    labelFormatter: '',
    borderColor: now.line,
  },
  {
    type: 'inside',
    xAxisIndex: 0,
    filterMode: 'weakFilter',
    zoomOnMouseWheel: 'ctrl',
    moveOnMouseMove: true,
  },
];

export const time_axis_of = (now, from_s, until_s) =>
  axis(now, {
    type: 'value',
    min: from_s,
    max: until_s,
    name: 'simulated time',
    nameGap: 26,
    axisLabel: { formatter: format.seconds, showMaxLabel: false },
  });

/** A bar for each phase that a rank is in. @param bars [[from, row, until, phase, ...]] */
export const span_series = (now, phases, bars) => ({
  name: 'phases',
  type: 'custom',
  clip: true,
  data: bars,
  encode: { x: [0, 2], y: 1 },
  renderItem: (_, api) => {
    const [left, middle] = api.coord([api.value(0), api.value(1)]);
    const [right] = api.coord([api.value(2), api.value(1)]);
    const height = api.size([0, 1])[1] * 0.8;
    return {
      type: 'rect',
      shape: { x: left, y: middle - height / 2, width: Math.max(0.5, right - left), height },
      style: { fill: now.phase(phases[api.value(3)].kind) },
    };
  },
});
