// A chart of the page: drawn as SVG, redrawn when its width or the theme changes, with a text for those who do not see it.

import * as echarts from 'echarts/core';
import { BarChart, CustomChart, GraphChart, LineChart, ScatterChart } from 'echarts/charts';
import { DataZoomComponent, GridComponent, LegendComponent, TooltipComponent } from 'echarts/components';
import { SVGRenderer } from 'echarts/renderers';
import { element } from './dom.js';
import * as format from './format.js';
import { save_buttons } from './save.js';
import { colours, on_theme } from './theme.js';

echarts.use([
  BarChart,
  CustomChart,
  GraphChart,
  LineChart,
  ScatterChart,
  DataZoomComponent,
  GridComponent,
  LegendComponent,
  TooltipComponent,
  SVGRenderer,
]);

const narrow_px = 560;
let waiting = [];

/**
 * A figure with one chart.
 * @param caption   what the axes and marks are
 * @param height    pixels, or a function of whether the page is narrow
 * @param describe  the text alternative, as a function
 * @param option    ECharts options, as a function of {colours, narrow}
 * @return the figure, with redraw() and the ECharts instance as `chart`
 */
export function chart(caption, height, describe, option) {
  const box = element('div', { class: 'chart', role: 'img' });
  const figure = element('figure', {}, box, element('figcaption', {}, caption));
  figure.append(save_buttons(figure));
  let drawn_width = 0;
  /** The room that its drawing takes, and the text alternative. */
  figure.take_room = () => {
    const narrow = box.clientWidth < narrow_px;
    box.style.height = `${typeof height === 'function' ? height(narrow) : height}px`;
    box.setAttribute('aria-label', describe());
    return narrow;
  };
  figure.redraw = () => {
    const narrow = figure.take_room();
    figure.chart ??= echarts.init(box, null, { renderer: 'svg' });
    figure.chart.resize();
    const now = colours();
    const drawing = option({ colours: now, narrow, width: box.clientWidth });
    figure.chart.setOption({ ...common(now), ...drawing }, { notMerge: true });
    box.dataset.items = items_of(figure.chart.getOption().series);
    drawn_width = box.clientWidth;
  };
  const ignore_theme = on_theme(() => figure.chart && figure.redraw());
  const observer = new ResizeObserver(() => {
    if (figure.chart && box.clientWidth !== drawn_width) figure.redraw();
  });
  observer.observe(box);
  figure.forget = () => {
    ignore_theme();
    observer.disconnect();
    seen.unobserve(figure);
    figure.chart?.dispose();
  };
  waiting.push(figure);
  return figure;
}

/** To be called before what holds charts leaves the page. */
export function forget_charts(holder) {
  for (const figure of holder.querySelectorAll('figure')) figure.forget?.();
  waiting = waiting.filter((figure) => !holder.contains(figure));
}

/** What the series draw, edges of a graph included. */
const items_of = (series) =>
  series.reduce((sum, { data, links }) => sum + data.length + (links?.length ?? 0), 0);

/** Draws what was made, once it is on the page and has a width. */
export function draw_all() {
  waiting.splice(0).forEach((figure) => figure.redraw());
}

const seen = new IntersectionObserver(
  (entries) => {
    const now = entries.flatMap(({ isIntersecting, target }) => (isIntersecting && waiting.includes(target) ? [target] : []));
    waiting = waiting.filter((figure) => !now.includes(figure));
    for (const figure of now) {
      seen.unobserve(figure);
      figure.redraw();
    }
  },
  { rootMargin: '50%' },
);
addEventListener('beforeprint', draw_all);

/** The same, but each chart is drawn when it is about to be seen: a tab in the background draws none. */
export function draw_seen() {
  for (const figure of waiting) {
    figure.take_room();
    seen.observe(figure);
  }
}

function common(now) {
  return {
    animation: false,
    textStyle: { color: now.text, fontFamily: 'system-ui, sans-serif' },
    backgroundColor: 'transparent',
  };
}

/** Options that most charts share. */
export function axis(now, more) {
  return {
    nameLocation: 'middle',
    nameTextStyle: { color: now.muted },
    axisLine: { show: true, lineStyle: { color: now.line } },
    axisTick: { lineStyle: { color: now.line } },
    axisLabel: { color: now.muted, hideOverlap: true, lineHeight: 14, ...more.axisLabel },
    splitLine: { lineStyle: { color: now.line, opacity: 0.4 } },
    ...Object.fromEntries(Object.entries(more).filter(([name]) => name !== 'axisLabel')),
  };
}

const time_options = (gap, data) => ({
  name: `time of ${format.whole(data)}`,
  nameGap: gap,
  axisLabel: { formatter: format.seconds },
});

/** @param gap  pixels from the axis to its name, which clear the labels */
export const time_axis = (now, gap, data) => axis(now, { type: 'value', ...time_options(gap, data) });

/** @param seconds  what is drawn along it */
export const log_time_axis = (now, seconds, gap, data) => log_axis(now, seconds, time_options(gap, data));

const steps_of_a_decade = [1, 2, 5];

/** 1, 2, 5, 10, 20 … from the last one that is not above `least` to the first one that is not below `most`. */
function marks_around(least, most) {
  const marks = [];
  for (let power = Math.floor(Math.log10(least)); marks.length === 0 || marks.at(-1) < most; ++power)
    for (const step of steps_of_a_decade) {
      const mark = Number(`${step}e${power}`);
      if (mark <= least) marks.splice(0);
      if (marks.length === 0 || marks.at(-1) < most) marks.push(mark);
    }
  return marks.length > 1 ? marks : marks_around(least * 0.99, most * 1.01);
}

/**
 * A logarithmic axis that is as long as its data.
 * @param values  what is drawn along it
 * @param marks   where its labels are; without them at 1, 2, 5 … or, where these are many, at powers of ten
 */
export function log_axis(now, values, more, marks) {
  const positive = values.filter((value) => value > 0);
  const ends = marks ?? marks_around(Math.min(...positive), Math.max(...positive));
  const few = ends.length <= 8 || marks ? ends : ends.filter((mark) => mark.toExponential()[0] === '1');
  return axis(now, {
    ...more,
    type: 'log',
    min: ends[0],
    max: ends.at(-1),
    axisTick: { lineStyle: { color: now.line }, customValues: few },
    axisLabel: { ...more.axisLabel, customValues: few },
  });
}

/** Different numbers in order, as the marks of an axis. */
export const marks_at = (values) => [...new Set(values)].sort((a, b) => a - b);

const names_px = 260; // beside the rows
const letter_px = 7.5; // at most

/** An axis of named rows. On a narrow page a name stands above its row, and takes no width from the drawing. */
export const rows_axis = (now, narrow, names, width) =>
  axis(now, {
    type: 'category',
    inverse: true,
    data: names,
    axisTick: { show: false },
    axisLabel: {
      interval: 0,
      hideOverlap: false,
      ...(narrow
        ? { inside: true, margin: 0, verticalAlign: 'bottom', padding: [0, 0, 9, 2], color: now.text, width: width - 24, overflow: 'truncate' }
        : { width: names_px, overflow: 'break' }),
    },
  });

/** Names for rows_axis that are alike but for their ends, in one line each. */
export const long_names = (names, narrow, width) =>
  names.map((name) => format.shortened(name, Math.floor((narrow ? width - 24 : names_px) / letter_px)));

/** Pixels of a row of rows_axis. */
export const row_px = (narrow) => (narrow ? 40 : 26);

const legend_row_px = 22;
const measuring = document.createElement('canvas').getContext('2d');

/** How many rows these names take, each behind its mark. */
function legend_rows(names, width, mark_px) {
  measuring.font = '12px system-ui, sans-serif';
  let rows = 1;
  let used = 0;
  for (const name of names) {
    const wanted = mark_px + 5 + 1.1 * measuring.measureText(name).width + 12;
    if (used > 0 && used + wanted > width) {
      rows += 1;
      used = 0;
    }
    used += wanted;
  }
  return rows;
}

/** A legend above the drawing, in as many rows as it takes, and where the drawing begins below it. */
export function legend_above(now, series, width, itemWidth = 28) {
  const names = series.map(({ name }) => name);
  return {
    legend: {
      type: 'plain',
      // A line without marks has none in the legend either.
      data: series.map(({ name, symbol }) => (symbol === 'none' ? { name, itemStyle: { opacity: 0 } } : name)),
      top: 0,
      left: 0,
      right: 0,
      padding: [2, 0],
      itemGap: 12,
      itemHeight: 12,
      textStyle: { color: now.text, lineHeight: legend_row_px - 12 },
      inactiveColor: now.line,
      itemWidth,
    },
    top: 14 + (legend_row_px + 4) * legend_rows(names, width, itemWidth),
  };
}

export const tooltip = (now, formatter, more = {}) => ({
  confine: true,
  backgroundColor: now.panel,
  borderColor: now.line,
  textStyle: { color: now.text, fontSize: 13 },
  formatter,
  ...more,
});
