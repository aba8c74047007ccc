// Opens reports in headless Chromium as people would: on a phone, a tablet and a desktop, light and dark, with a keyboard.
//   node open_reports.js EXPECTATIONS.json SCREENSHOT_FOLDER
// EXPECTATIONS: [{"file", "sliders": [{"id", "presses", "key", "seconds"}]}]; seconds as `finegrain predict` says. With "only": "desktop",
// a page that looks like another one is opened on that screen alone. "charts": how many it has at least, else 5.
// "sections": some that have a chart. Or of a study's
// page: [{"file", "study": {"points", "fastest", "cheapest", "filter", "value", "filtered"}}]; numbers of points.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { pathToFileURL } = require('node:url');
const { chromium } = require('playwright-core');
const axe_source = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

const screens = [
  { name: 'phone', viewport: { width: 360, height: 800 }, colorScheme: 'light', isMobile: true, hasTouch: true },
  { name: 'tablet', viewport: { width: 768, height: 1024 }, colorScheme: 'dark' },
  { name: 'desktop', viewport: { width: 1400, height: 900 }, colorScheme: 'light' },
];
const near = (value, expected) => Math.abs(value - expected) <= 1e-9 * Math.abs(expected);

/** A page that fails the test on any error, and on any request but for itself. */
async function opened(context, file) {
  const url = pathToFileURL(file).href;
  const page = await context.newPage();
  const trouble = [];
  page.on(
    'console',
    (message) => ['error', 'warning'].includes(message.type()) && trouble.push(`console: ${message.text()}`),
  );
  page.on('pageerror', (error) => trouble.push(`page error: ${error.stack}`));
  page.on(
    'request',
    (request) =>
      request.url() !== url &&
      !request.url().startsWith('data:') &&
      trouble.push(`request of ${request.url()}`),
  );
  await page.goto(url, { timeout: 120_000 });
  await page.waitForFunction(
    () => performance.getEntriesByName('drawn').length > 0 || document.readyState === 'complete',
  );
  const drawn_ms = await page.evaluate(() => performance.getEntriesByName('drawn')[0]?.startTime);
  assert.deepEqual(trouble, [], file);
  assert.ok(drawn_ms > 0, `${file}: not all charts were drawn`);
  return { page, trouble, drawn_ms };
}

/** Every chart has a name, and marks. @return "name of section: marks", a line each */
async function check_charts(page, where, least_charts) {
  const charts = await page.$$eval('.chart', (boxes) =>
    boxes.map((box) => ({
      section: box.closest('section').id,
      name: box.getAttribute('aria-label') ?? '',
      items: Number(box.dataset.items),
      marks: box.querySelectorAll('svg path, svg rect, svg circle, svg polyline, svg polygon, svg line')
        .length,
    })),
  );
  assert.ok(charts.length >= least_charts, `${where}: only ${charts.length} charts`);
  for (const chart of charts) {
    assert.ok(chart.name.length > 20, `${where}: the chart of ${chart.section} has no text alternative`);
    assert.ok(!/NaN|undefined|Infinity/.test(chart.name), `${where}: ${chart.section}: ${chart.name}`);
    assert.ok(chart.items > 0, `${where}: the chart of ${chart.section} is empty`);
    // A line is one mark of many items, with a symbol each where it has symbols.
    assert.ok(
      chart.marks >= chart.items / 2,
      `${where}: the chart of ${chart.section} has ${chart.marks} marks for ${chart.items} items`,
    );
  }
  const text = await page.innerText('body');
  assert.ok(
    !/\b(NaN|undefined|Infinity)\b/.test(text),
    `${where}: ${text.match(/.{0,80}\b(NaN|undefined|Infinity)\b.{0,40}/)?.[0]}`,
  );
  return charts.map(({ section, marks }) => `${section} ${marks}`).join(', ');
}

async function check_accessibility(page, where) {
  await page.evaluate(axe_source);
  const found = await page.evaluate(() => axe.run(document, { resultTypes: ['violations'] }));
  const violations = found.violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes
        .slice(0, 3)
        .map((node) => node.html.slice(0, 160))
        .join(' | ')}`,
  );
  assert.deepEqual(violations, [], where);
}

async function check_width(page, where) {
  const [content, window_width] = await page.evaluate(() => [
    document.documentElement.scrollWidth,
    document.documentElement.clientWidth,
  ]);
  assert.ok(content <= window_width, `${where}: ${content} px wide on a page of ${window_width}`);
}

/** No text of a chart lies on another or beyond the chart, none is cut short to what another is cut to. No table is cut, or
 *  very high. A legend has what is drawn, and a logarithmic axis is as long as its data. */
async function check_layout(page, where) {
  const found = await page.evaluate(() => {
    const troubles = [];
    for (const box of document.querySelectorAll('.chart')) {
      const area = box.getBoundingClientRect();
      const section = box.closest('section').id;
      const texts = [...box.querySelectorAll('svg text')]
        .map((text) => ({ text: text.textContent, at: text.getBoundingClientRect() }))
        .filter(({ text, at }) => text.trim() !== '' && at.width > 0);
      texts.forEach(({ text, at }, index) => {
        if (at.left < area.left - 1 || at.right > area.right + 1 || at.top < area.top - 1 || at.bottom > area.bottom + 1)
          troubles.push(`${section}: "${text}" is cut off`);
        for (const other of texts.slice(0, index)) {
          const width = Math.min(at.right, other.at.right) - Math.max(at.left, other.at.left);
          const height = Math.min(at.bottom, other.at.bottom) - Math.max(at.top, other.at.top);
          if (width > 1 && height > 3) troubles.push(`${section}: "${text}" lies on "${other.text}"`);
          if (text === other.text && /(\.\.\.|…)$/.test(text)) troubles.push(`${section}: two names are cut to "${text}"`);
        }
      });
    }
    for (const figure of document.querySelectorAll('figure')) {
      const { series, legend, xAxis = [], yAxis = [] } = figure.chart.getOption();
      const section = figure.closest('section').id;
      const values = ({ data }) => data.flatMap((item) => item?.value ?? item).filter(Number.isFinite);
      for (const { data: entries = [] } of legend ?? [])
        for (const entry of entries)
          if (!series.some((each) => each.name === (entry.name ?? entry) && values(each).some((value) => value !== 0)))
            troubles.push(`${section}: nothing is drawn of "${entry.name ?? entry}" in the legend`);
      // Marks stand at 1, 2, 5, 10 …, so an axis ends at most 2.5 times beyond its data.
      [xAxis[0], yAxis[0]].forEach((axis, dimension) => {
        if (axis?.type !== 'log') return;
        const data = series.flatMap((each) => each.data.map((item) => (item.value ?? item)[dimension]));
        if (axis.min < Math.min(...data) / 2.51 || axis.max > Math.max(...data) * 2.51)
          troubles.push(`${section}: an axis from ${axis.min} to ${axis.max} of data from ${Math.min(...data)} to ${Math.max(...data)}`);
        if (axis.min > Math.min(...data) || axis.max < Math.max(...data)) troubles.push(`${section}: an axis leaves data out`);
      });
    }
    for (const table of document.querySelectorAll('table.blocks'))
      if (table.getBoundingClientRect().height > 2500)
        troubles.push(`${table.closest('section').id}: a table is ${table.getBoundingClientRect().height} px high`);
    for (const scroll of document.querySelectorAll('.scroll'))
      if (scroll.scrollWidth > scroll.clientWidth + 1)
        troubles.push(`${scroll.closest('section').id}: a table is ${scroll.scrollWidth} px wide in ${scroll.clientWidth}`);
    return troubles;
  });
  assert.deepEqual(found, [], where);
}

/** A column of a table that says the same in every row has left it. */
async function check_columns(page, where) {
  const constant = await page.$$eval('table.blocks:not(.sortable)', (tables) =>
    tables.flatMap((table) => {
      const rows = [...table.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.textContent));
      const is_whole = !table.closest('.scroll').nextElementSibling?.matches('button');
      if (rows.length < 2 || !is_whole || table.closest('#equations')) return [];
      return rows[0].flatMap((text, column) =>
        column > 0 && rows.every((row) => row[column] === text) ? [`${table.caption.textContent}: ${text}`] : [],
      );
    }),
  );
  assert.deepEqual(constant, [], where);
}

/** A chart is saved as a picture and as its numbers. */
async function check_saving(page, where) {
  await page.$eval('details.save', (details) => (details.open = true));
  for (const [kind, begins, least] of [
    ['SVG', '<svg', 2000],
    ['PNG', '\x89PNG', 2000],
    ['CSV', '# times in seconds', 60],
  ]) {
    const coming = page.waitForEvent('download');
    await page.click(`details.save button[data-save=${kind}]`);
    const bytes = fs.readFileSync(await (await coming).path());
    assert.ok(bytes.toString('latin1').startsWith(begins), `${where}: ${kind} begins ${bytes.subarray(0, 20)}`);
    assert.ok(bytes.length > least, `${where}: ${kind} has ${bytes.length} bytes`);
  }
  await page.$eval('details.save', (details) => (details.open = false));
}

/** Efficiency begins at 100 % on every line, and is drawn of as many ranks as the time. */
async function check_efficiency(page, where) {
  if (!(await page.$('#scaling'))) return;
  const drawn = () =>
    page.$eval('#scaling figure', (figure) =>
      figure.chart.getOption().series.filter(({ name }) => name !== 'ideal').map(({ data }) => data),
    );
  const times = (await drawn()).filter((points) => points.length > 1);
  await page.click('#scaling input[value=efficiency]');
  const efficiencies = await drawn();
  assert.equal(efficiencies.length, times.length, where);
  efficiencies.forEach((points, line) => {
    assert.equal(points[0][1], 1, where);
    const [[first_ranks, first_s]] = times[line];
    const [ranks, seconds] = times[line].at(-1);
    assert.ok(near(points.at(-1)[1] * ranks * seconds, first_ranks * first_s), where);
  });
  await page.click('#scaling input[value=time]');
}

/** Where the time goes is seen in every bar of the phases, however much longer another one takes. */
async function check_phases(page, where) {
  if (!(await page.$('#phases'))) return;
  const bars = await page.$eval('#phases figure', (figure) => {
    const { series } = figure.chart.getOption();
    return series[0].data.map((_, bar) => series.reduce((sum, { data }) => sum + data[bar], 0));
  });
  const drawn = bars.filter((length) => length > 0);
  assert.ok(Math.max(...drawn) <= 5.001 * Math.min(...drawn), `${where}: bars as long as ${drawn}`);
}

/** On paper every section begins a page, and its charts are not cut. */
async function check_printing(page, where, screenshots, name) {
  const bytes = await page.pdf({ path: path.join(screenshots, `${name}.pdf`), preferCSSPageSize: true });
  const sections = await page.$$eval('section', (all) => all.length);
  const pages = bytes.toString('latin1').match(/\/Type \/Page\b/g).length;
  assert.ok(pages >= sections, `${where}: ${pages} pages for ${sections} sections`);
}

/** Every control that can be seen can be reached with the Tab key. */
async function check_keyboard(page, where) {
  const controls = await page.$$eval(
    'button:enabled, select, input[type=range], summary',
    (all) => all.filter((control) => control.checkVisibility()).length,
  );
  const reached = new Set();
  await page.evaluate(() => window.scrollTo(0, 0));
  for (let press = 0; press < 40 + 3 * controls && reached.size < controls; ++press) {
    await page.keyboard.press('Tab');
    const at = await page.evaluate(() => {
      const all = [...document.querySelectorAll('button:enabled, select, input[type=range], summary')];
      return all.indexOf(document.activeElement);
    });
    if (at >= 0) reached.add(at);
  }
  assert.equal(reached.size, controls, `${where}: controls that the Tab key reaches`);
}

/** The page's closed form is the program's, where the sliders begin and where they are moved to. */
async function check_sliders(page, sliders, where) {
  const total = () => page.$eval('#formula-total', (output) => Number(output.dataset.seconds));
  const { formula } = await page.$eval('#data', (script) => JSON.parse(script.textContent));
  if (!formula) return assert.deepEqual(sliders, [], `${where}: there are no equations`);
  const embedded = formula.choices.find((choice) => choice.own).total_s;
  assert.ok(
    near(await total(), embedded),
    `${where}: ${await total()} s on the page, ${embedded} s by the program`,
  );
  for (const { id, presses, key, seconds } of sliders) {
    await page.focus(`#${id}`);
    for (let press = 0; press < presses; ++press) await page.keyboard.press(key);
    assert.ok(
      near(await total(), seconds),
      `${where}: ${id} moved to ${await page.$eval(`#${id}`, (input) => input.getAttribute('aria-valuetext'))}: ` +
        `${await total()} s on the page, ${seconds} s by finegrain predict`,
    );
    const moved = page.url();
    assert.match(moved, new RegExp(`#equations&${id}=`), where);
    await page.click('#slider-reset');
    assert.ok(near(await total(), embedded), `${where}: the sliders are back, the total is not`);
    assert.match(page.url(), /#equations$/, where);
    if (id !== sliders[0].id) continue;
    const again = await page.context().newPage();
    await again.goto(moved);
    const there = await again.$eval('#formula-total', (output) => Number(output.dataset.seconds));
    assert.ok(near(there, seconds), `${where}: ${moved} does not bring the slider back`);
    await again.close();
  }
}

/** A study's table begins with the best point of the column that sorts it, and a filter leaves the points of its value. */
async function check_study(page, study, where) {
  const rows = () => page.$$eval('#table-of-points tbody tr', (all) => all.map((row) => row.firstChild.innerText));
  const sorted_by = async (heading) => {
    await page.click(`#table-of-points button:text-is("${heading}")`);
    return (await rows())[0];
  };
  assert.equal((await rows()).length, study.points, `${where}: points`);
  assert.equal((await rows())[0], String(study.fastest), `${where}: the fastest point`);
  assert.equal(await sorted_by('node-hours'), String(study.cheapest), `${where}: the cheapest point`);
  const best = await page.$$eval('#best-points tbody th', (all) => all.map((cell) => cell.innerText));
  assert.match(best[0], /^fastest/, where);
  assert.match(best.at(-1), /fewest node-hours$/, where);
  // The colour of a point is seen through the ring around it, and a number in the legend says what it counts.
  const series = await page.$eval('#time-and-cost figure', (figure) => figure.chart.getOption().series);
  assert.equal(series.find(({ name }) => name === 'Pareto front').itemStyle.color, 'transparent', where);
  const colours = '.controls label:has-text("Colours") select';
  for (const label of await page.$$eval(`${colours} option`, (all) => all.map((option) => option.textContent))) {
    await page.selectOption(colours, { label });
    const names = await page.$eval('#time-and-cost figure', (figure) => figure.chart.getOption().series.map(({ name }) => name));
    assert.deepEqual(names.filter((name) => /^[0-9.,]+$/.test(name)), [], `${where}: ${label}`);
  }
  await page.selectOption(`#filters label:has-text("${study.filter}") select`, { label: study.value });
  assert.equal((await rows()).length, study.filtered, `${where}: points of ${study.filter} ${study.value}`);
}

async function check(browser, { file, sliders = [], study, only, charts, sections = [] }, screenshots) {
  const least_charts = charts ?? (study ? 1 : 5);
  const bytes = fs.statSync(file).size;
  assert.ok(bytes < 15e6, `${file}: ${bytes} bytes`);
  const name = path.basename(file, '.html');
  for (const { name: screen, colorScheme, ...options } of screens) {
    if (only && screen !== only) continue;
    const where = `${name}, ${screen}, ${colorScheme}`;
    const context = await browser.newContext({ ...options, colorScheme });
    context.setDefaultTimeout(120_000); // on a busy machine
    const { page, trouble, drawn_ms } = await opened(context, file);
    const marks = await check_charts(page, where, least_charts);
    for (const id of sections) assert.ok(await page.$(`#${id} .chart`), `${where}: no chart of ${id}`);
    await check_width(page, where);
    await check_layout(page, where);
    await check_columns(page, where);
    if (screen !== 'phone') await check_accessibility(page, where);
    await page.screenshot({ path: path.join(screenshots, `${name}-${screen}.png`), fullPage: true });
    console.log(
      `${where}: ${(bytes / 1e6).toFixed(2)} MB, drawn after ${(drawn_ms / 1000).toFixed(2)} s; marks: ${marks}`,
    );
    if (screen === 'desktop') {
      await check_saving(page, where);
      await check_efficiency(page, where);
      await check_phases(page, where);
      await check_printing(page, where, screenshots, name);
      await check_sliders(page, sliders, where);
      await check_keyboard(page, where);
      if (study) await check_study(page, study, where);
      await page.focus('#theme');
      await page.keyboard.press('Enter');
      assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark', where);
      await check_charts(page, `${where}, then dark`, least_charts);
      await page.$$eval('summary', (all) => all.forEach((summary) => summary.click()));
      await page.waitForFunction(
        () =>
          document.querySelectorAll('details table').length ===
          document.querySelectorAll('details:not(.save)').length,
      );
    }
    assert.deepEqual(trouble, [], where);
    await context.close();
  }
}

async function main() {
  const [expectations, screenshots] = process.argv.slice(2);
  fs.mkdirSync(screenshots, { recursive: true });
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] });
  try {
    for (const report of JSON.parse(fs.readFileSync(expectations, 'utf8')))
      await check(browser, report, screenshots);
  } finally {
    await browser.close();
  }
}

module.exports = { check_accessibility, check_charts, check_keyboard, check_layout, check_width, screens };
if (require.main === module)
  main().catch((error) => {
    console.error(error.message);
    process.exit(1);
  });
