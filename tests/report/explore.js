// Uses the page of finegrain explore as people would: every control, two pins, undo, an exercise, a reload; a class of 30; and pages
// of other servers that must not ask.
//   node explore.js ADDRESS SCREENSHOT_FOLDER [recorded | jobs | class | end | closed_form]
// recorded: it is the page of a recorded program, which has controls of its own; jobs: one of several jobs is that program;
// class: it is served to other computers; end: it is that of the process SERVER, which is ended;
// closed_form: its platforms are without_tau.xml, without_remote_bandwidth.xml, and abel, which has both.
// The numbers on the page are those that the command below them prints.

const assert = require('node:assert/strict');
const { execFileSync } = require('node:child_process');
const http = require('node:http');
const path = require('node:path');
const { chromium } = require('playwright-core');
const { check_accessibility, check_charts, check_keyboard, check_layout, check_width, screens } = require('./open_reports.js');

const [address, screenshots, kind] = process.argv.slice(2);
const words_of_shell = (command) =>
  [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain);

/** What a command prints, without the data of its page. */
function tables_of_command(command) {
  const [program, ...words] = words_of_shell(command);
  return rows_of(JSON.parse(execFileSync(program, [...words, '--format', 'json'], { stdio: ['ignore', 'pipe', 'ignore'] })));
}

const rows_of = (tables) => tables.map(({ name, rows }) => ({ name, rows }));

/** Opens the page, and keeps what goes wrong on it, and how many questions it gave up. */
async function opened(browser, options = {}, hash = '') {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(120_000); // on a busy machine
  const page = await context.newPage();
  const seen = { trouble: [], cancelled: 0 };
  page.on('pageerror', (error) => seen.trouble.push(error.stack));
  page.on('console', (message) => message.type() === 'error' && seen.trouble.push(message.text()));
  page.on('requestfailed', (request) => request.url().endsWith('/answers') && (seen.cancelled += 1));
  await page.goto(address + hash);
  return { page, seen, context };
}

/** Does something, and waits until it is answered and the report of it is drawn. @param act  none: what was asked already */
async function answered(page, act) {
  if (act) {
    await page.evaluate(() => {
      performance.clearMarks('reported');
    });
    await act();
  }
  await page.waitForFunction(
    () => performance.getEntriesByName('reported').length > 0 || document.querySelector('#status.error'),
  );
  assert.ok(!(await page.$('#status.error')), `${await page.innerText('#status')}: ${await page.innerText('#command')}`);
}

async function check_command(page, where) {
  const command = await page.innerText('#command');
  const shown = rows_of(await page.$eval('#answer', (answer) => answer.tables));
  assert.deepEqual(shown, tables_of_command(command), `${where}: ${command}`);
  const simulated = await page.$$eval('#answer td:is([data-column=simulated], [data-column=together])', (cells) => cells.map((cell) => cell.textContent).join(' '));
  assert.match(simulated, /\d/, `${where}: no simulated time is shown`);
}

/** What people do to controls. */
const acts_on = (page) => ({
  fill: (id, text) => async () => {
    await page.fill(`[id="${id}"]`, text);
    await page.press(`[id="${id}"]`, 'Enter');
  },
  choose: (id, text) => () => page.selectOption(`[id="${id}"]`, text),
  slide: (id, key) => () => page.press(`[id="${id}"]`, key),
});

/** Each of them changes the question, and the answer is the command's. */
async function check_acts(page, acts) {
  for (const [name, act] of Object.entries(acts)) {
    const before = await page.innerText('#command');
    await answered(page, act);
    assert.notEqual(await page.innerText('#command'), before, `${name} changes nothing`);
    await check_command(page, name);
  }
}

/** The numbers of sliders have units, and follow them. */
async function check_values(page) {
  const values = () => page.$eval('[id="control--set-link_bandwidth"] ~ .values', (text) => text.textContent);
  assert.equal(await values(), 'abel 6.44 GB/s, ethernet_10g 1.18 GB/s');
  await answered(page, () => page.press('[id="control--set-link_bandwidth"]', 'ArrowRight'));
  assert.equal(await values(), 'abel 12.9 GB/s, ethernet_10g 2.35 GB/s');
  await answered(page, () => page.click('#undo'));
  assert.equal(await values(), 'abel 6.44 GB/s, ethernet_10g 1.18 GB/s');
}

async function check_controls(page) {
  const { fill, choose, slide } = acts_on(page);
  await check_acts(page, {
    'more ranks': fill('control--ranks', '32'),
    'ranks a node': fill('control--ranks-per-node', '4'),
    BLOCKSIZE: fill('control--blocksize', '500'),
    transfer: choose('control--transfer', 'put'),
    completion: choose('control--completion', 'together'),
    placement: choose('control--placement', 'cyclic'),
    'bandwidth of links': slide('control--set-link_bandwidth', 'ArrowLeft'),
    'latency of links': slide('control--set-link_latency', 'ArrowRight'),
    'time to start a message': slide('control--set-message_overhead', 'ArrowRight'),
    'memory bandwidth': slide('control--set-memory_bandwidth', 'ArrowRight'),
    'memory bandwidth of a core': slide('control--set-memory_bandwidth_per_core', 'ArrowLeft'),
    'the closed form’s remote access': slide('control--set-tau', 'ArrowRight'),
    'the closed form’s bandwidth': slide('control--set-remote_bandwidth', 'ArrowLeft'),
    'eager limit': fill('control--set-eager_limit', '1KiB'),
    'other numbers': fill('control--set', 'cache_line=128B'),
    'nodes of the platform': fill('control--nodes', '16'),
    'one platform': () => page.uncheck('[id="control--platform-1"]'),
    'a slower link': fill('control--link', 'link_from_0_255_0_UP'),
    'a broken link': choose('control--link-part', '0.001'),
    iterations: fill('control--iterations', '10'),
    noise: choose('control--noise', 'fixed:period=1ms,duration=100us'),
    'simulations with noise': fill('control--noise-runs', '3'),
    'another noise': choose('control--noise', 'exponential:period=100ms,duration=5ms'),
    'no noise': choose('control--noise', ''),
    policy: choose('control--policy', 'block'),
  });
  await answered(page, () => page.click('#undo'));
  assert.doesNotMatch(await page.innerText('#command'), /--policy block/);
}

async function check_pins(page) {
  await answered(page, () => page.click('#reset'));
  await page.click('#pin');
  await answered(page, () => page.press('[id="control--set-memory_bandwidth_per_core"]', 'ArrowLeft'));
  await page.click('#pin');
  await answered(page, () => page.press('[id="control--set-memory_bandwidth_per_core"]', 'ArrowLeft'));
  const table = await page.innerText('#pinned');
  assert.match(table, /B: .*, with --set memory_bandwidth_per_core=x0\.5\b/, 'what differs between the pins is not said');
  assert.match(table, /now: .*, with --set memory_bandwidth_per_core=x0\.25\b/);
  for (const text of ['A: finegrain compare', 'B: finegrain compare', 'total (slowest rank)', 'B − A', 'now − A', 'compute (mean of ranks)'])
    assert.ok(table.includes(text), `${text} is missing in ${table}`);
  const of_total = await page.$$eval('#pinned tbody tr:first-child td', (cells) => cells.map((cell) => cell.textContent));
  assert.ok(of_total[2].startsWith('+') && of_total[4].startsWith('+'), `half the bandwidth costs time: ${of_total}`);
  await answered(page, () => page.reload());
  await page.waitForFunction((before) => document.querySelector('#pinned').innerText === before, table);
  await page.click('#unpin');
  await answered(page, () => page.click('#undo'));
  await page.waitForFunction((before) => document.querySelector('#pinned').innerText === before, table);
  await answered(page, () => page.click('#reset'));
  assert.equal(await page.innerText('#pinned'), '', 'pins outlive the way back to the first question');
  assert.ok(await page.isDisabled('#unpin'));
}

/** The network's sliders change what is simulated, and τ the closed form, as on the command line. */
async function check_closed_form(page) {
  await answered(page, () => page.click('#reset'));
  const times = () => page.$eval('#answer', ({ tables }) => [tables[0].rows[0].simulated_s, tables[0].rows[0].closed_form_s]);
  const [simulated_s, closed_form_s] = await times();
  await answered(page, () => page.press('[id="control--set-message_overhead"]', 'ArrowRight'));
  const [slower_s, still_s] = await times();
  assert.ok(slower_s > simulated_s && still_s === closed_form_s, 'the platforms’ files have a τ of their own');
  await answered(page, () => page.press('[id="control--set-tau"]', 'ArrowRight'));
  const [same_s, with_tau_s] = await times();
  assert.ok(same_s === slower_s && with_tau_s > closed_form_s);
}

/** Charts are drawn when they are about to be seen; a tab in the background asks for no report. */
async function check_drawing(page) {
  const undrawn = () => page.$$eval('#report .chart:not(:has(svg))', (boxes) => boxes.length);
  const questions = [];
  const note = (request) => request.url().endsWith('/answers') && questions.push(request.postDataJSON().command);
  await page.evaluate(() => window.scrollTo(0, 0));
  await answered(page, () => page.click('#reset'));
  assert.ok((await undrawn()) >= 3, 'charts far below the window are drawn');
  const heights = await page.$$eval('#report .chart', (boxes) => boxes.map((box) => box.clientHeight));
  assert.ok(heights.every((height) => height > 50), `charts have no room before they are drawn: ${heights}`);
  await see_charts(page);
  assert.equal(await undrawn(), 0);
  await page.evaluate(() => window.scrollTo(0, 0));
  await answered(page, () => page.press('[id="control--set-link_latency"]', 'ArrowRight'));
  assert.ok((await undrawn()) >= 3);
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  assert.equal(await undrawn(), 0, 'what is printed is not drawn');

  const show_as = (state) =>
    page.evaluate((value) => {
      Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => value });
      document.dispatchEvent(new Event('visibilitychange'));
    }, state);
  page.on('request', note);
  await show_as('hidden');
  await page.evaluate(() => performance.clearMarks('reported'));
  const before = await page.innerText('#answer');
  await page.press('[id="control--set-memory_bandwidth_per_core"]', 'ArrowLeft');
  await page.waitForFunction((text) => document.querySelector('#answer').innerText !== text && !document.querySelector('#answer.old, #coarse'), before);
  await page.waitForTimeout(500);
  assert.ok(questions.length > 0 && !questions.includes('report'), `a tab in the background asks for ${questions}`);
  await answered(page, () => show_as('visible'));
  page.off('request', note);
  assert.ok(questions.includes('report'));
}

/** Scrolls to each chart, until all are drawn. */
async function see_charts(page) {
  for (const figure of await page.$$('#report figure')) {
    await figure.evaluate((one) => one.scrollIntoView({ block: 'center', behavior: 'instant' }));
    await page.waitForFunction((one) => one.querySelector('.chart svg'), figure);
  }
}

/** What takes long has a coarse answer first, which says so. @return ms until it is there */
async function check_coarse(page) {
  await answered(page, () => page.click('#reset'));
  await page.$eval('#answer', (answer) => {
    const look = () => (window.first_look ??= answer.querySelector('#coarse')?.textContent); // also if it is soon replaced
    new MutationObserver(look).observe(answer, { childList: true });
  });
  await answered(page, () => page.selectOption('[id="control--noise"]', 'fixed:period=1ms,duration=100us'));
  assert.equal(await page.evaluate(() => window.first_look), 'A first look: abel, 2 iterations, without noise. The answer follows.');
  assert.equal(await page.$('#coarse'), null);
  await check_command(page, 'after a coarse answer');
  return page.$eval('#answer', (answer) => Number(answer.dataset.coarse_ms));
}

/** What takes long says how far it is, and can be stopped. */
async function check_progress(page) {
  await answered(page, () => page.selectOption('[id="control--noise"]', 'exponential:period=100ms,duration=5ms'));
  await page.fill('[id="control--noise-runs"]', '5000');
  await page.press('[id="control--noise-runs"]', 'Enter');
  await page.waitForFunction(() => /\[[#-]{20}\] \d+\/\d+/.test(document.querySelector('#status').textContent));
  assert.ok(await page.isVisible('#stop'), 'what is simulated cannot be stopped');
  await page.click('#stop');
  assert.equal(await page.innerText('#status'), 'Stopped. Only the first look is of this question.');
  assert.equal(await page.innerText('#coarse'), 'A first look: abel, 2 iterations, without noise. The answer was not simulated.');
  assert.ok(Number(await page.$eval('#report', (report) => getComputedStyle(report).opacity)) < 1, 'what is of an earlier question is not grey');
  assert.ok(!(await page.isVisible('#stop')));
  await answered(page, () => page.click('#reset'));
  await check_command(page, 'after a question that was stopped');
  await check_failing(page);
  await check_stopping_details(page);
}

/** Holds requests for answers that fit, until it is called again. @return a function that lets them go on */
async function hold(page, fits) {
  let let_go;
  const held = new Promise((resolve) => (let_go = resolve));
  const keep = async (route) => {
    if (fits(route.request().postDataJSON())) await held;
    await route.continue().catch(() => {}); // it was given up
  };
  await page.route('**/answers', keep);
  return async () => {
    let_go();
    await page.unroute('**/answers', keep);
  };
}

/** The connection breaks between the coarse answer and the whole one. */
async function check_failing(page) {
  const break_off = async (route) => {
    const { flags, first_look } = route.request().postDataJSON();
    if (!flags['--noise']) return route.continue();
    const of_look = await route.fetch({ postData: JSON.stringify({ command: 'compare', flags: first_look }) });
    const { answers } = JSON.parse((await of_look.text()).trim().split('\n').at(-1));
    return route.fulfill({ contentType: 'application/x-ndjson', body: `${JSON.stringify({ first_look: answers })}\n` });
  };
  await page.route('**/answers', break_off);
  await page.selectOption('[id="control--noise"]', 'fixed:period=1ms,duration=10us');
  await page.waitForSelector('#status.error');
  assert.match(await page.innerText('#status'), /\. Only the first look is of this question\.$/);
  assert.match(await page.innerText('#coarse'), /The answer was not simulated\.$/);
  await page.unroute('**/answers', break_off);
  await answered(page, () => page.click('#reset'));
}

/** Where a slider was moved, its next place is simulated before it is asked for; another question gives that up. */
async function check_looking_ahead(page) {
  const slider = '[id="control--set-link_latency"]';
  const compared = [];
  const note = (request) => {
    if (!request.url().endsWith('/answers')) return;
    const { command, flags } = request.postDataJSON();
    if (command === 'compare') compared.push(String(flags['--set'] ?? ''));
  };
  const until_compared = async (count) => {
    for (let tries = 0; compared.length < count && tries < 400; ++tries) await page.waitForTimeout(50);
  };
  await answered(page, () => page.click('#reset'));
  page.on('request', note);
  await answered(page, () => page.press(slider, 'ArrowLeft'));
  await until_compared(2);
  assert.deepEqual(compared, ['link_latency=x0.5', 'link_latency=x0.25'], 'the next place is not simulated ahead');
  await answered(page, () => page.press(slider, 'ArrowLeft'));
  await check_command(page, 'after a look ahead');
  await until_compared(3);
  assert.deepEqual(compared.slice(2), ['link_latency=x0.125'], 'what was simulated ahead is asked for again');
  await answered(page, () => page.press('[id="control--set-link_bandwidth"]', 'ArrowRight'));
  await check_command(page, 'after a look ahead at another question');
  page.off('request', note);
  await answered(page, () => page.click('#reset'));
}

/** Ranks, links and timeline can be stopped when the numbers are there. */
async function check_stopping_details(page) {
  const let_go = await hold(page, ({ command }) => command === 'report');
  await page.press('[id="control--set-message_overhead"]', 'ArrowRight');
  await page.waitForFunction(() => document.querySelector('#status').textContent.includes('drawing'));
  await page.waitForSelector('#stop:visible');
  await page.click('#stop');
  assert.equal(await page.innerText('#status'), 'Stopped. What is grey is of an earlier question.');
  assert.equal(await page.$('#answer.old'), null);
  assert.ok(await page.$('#report.old'));
  await let_go();
  await check_command(page, 'after details that were stopped');
  await answered(page, () => page.click('#reset'));
}

/** While a slider is dragged, numbers of an earlier question turn grey. */
async function check_greying(page) {
  await answered(page, () => page.click('#reset'));
  const let_go = await hold(page, () => true);
  const turned_grey = await page.$eval('[id="control--set-link_bandwidth"]', async (slider) => {
    for (let change = 0; change < 10; ++change) {
      slider.value = change % 2 ? 1 : 2;
      slider.dispatchEvent(new Event('input', { bubbles: true }));
      await new Promise((over) => setTimeout(over, 30));
    }
    return Boolean(document.querySelector('#answer.old'));
  });
  await let_go();
  assert.ok(turned_grey, 'numbers of an earlier question are not grey while a slider is dragged');
  await answered(page, () => page.click('#reset'));
  assert.equal(await page.$('.old'), null);
}

/** A newer question cancels the older one. */
async function check_cancelling(page, seen) {
  const before = seen.cancelled;
  await answered(page, async () => {
    for (let press = 0; press < 5; ++press) await page.press('[id="control--set-link_bandwidth"]', 'ArrowLeft');
  });
  assert.ok(seen.cancelled > before, 'no question was cancelled');
  await check_command(page, 'after cancelled questions');
}

/** In the page: whether all of it can be seen without scrolling. */
const is_in_window = (one) => one.getBoundingClientRect().top >= 0 && one.getBoundingClientRect().bottom <= innerHeight;

async function check_exercise(page) {
  await page.selectOption('#choose-exercise', { label: '3. Cores that share a memory' });
  await page.waitForFunction(() => document.querySelector('#answer').textContent.includes('Make your guess'));
  assert.doesNotMatch(await page.innerText('#exercise-3'), /Simulated/);
  assert.equal(await page.innerText('#report'), '', 'the report shows the answer before the guess');
  await page.fill('#guess-2', 'six');
  await page.click('#exercise-3 button:has-text("This is my guess")');
  assert.ok(await page.isEnabled('#guess-2'), 'a word is taken for a number');
  await page.fill('#guess-2', '6,0');
  await answered(page, () => page.click('#exercise-3 button:has-text("This is my guess")'));
  const judged = /No\. Simulated: 4\.94 ms\. Your guess: \+21\.5 %\. Up to 10 % is right\./;
  assert.match(await page.innerText('#exercise-3'), judged);
  await answered(page, () => page.reload());
  assert.match(await page.innerText('#exercise-3'), judged, 'a reload keeps the exercise');
  await page.click('#exercise-3 button:has-text("Guess again")');
  await page.waitForFunction(() => document.querySelector('#answer').textContent.includes('Make your guess'));
  assert.doesNotMatch(await page.innerText('#exercise-3'), /Simulated/, 'a guess that was taken back still has its answer');
  await page.fill('#guess-2', '6');
  await answered(page, () => page.click('#exercise-3 button:has-text("This is my guess")'));
  assert.match(await page.innerText('#exercise-3'), judged);
  assert.ok(await page.$eval('#exercise-3 .answer', is_in_window), 'the verdict is not in the window');
  assert.match(await page.innerText('#timeline'), /in the first iteration\./, 'the timeline shows other iterations than the answer');
  assert.match(await page.innerText('#critical-path'), /the first iteration\./);
  await page.fill('#notes-2', 'eight cores are enough');
  await page.press('#notes-2', 'Tab');
  await page.click('#pin');
  await page.selectOption('#choose-exercise', { label: '1. Short messages' });
  await page.waitForFunction(() => document.querySelector('#answer').textContent.includes('Make your guess'));
  assert.ok(await page.isDisabled('#pin'), 'what has no guess yet can be pinned');
  assert.ok(await page.isDisabled('#unpin'), 'a pin outlives its exercise');
  await answered(page, () => page.click('#undo'));
  assert.ok(await page.isVisible('#exercise-3'), 'undo goes back to the exercise before');
  assert.ok(await page.isEnabled('#unpin'), 'and to its pin');
  await page.selectOption('#choose-exercise', { label: '5. Overlap' });
  await page.waitForFunction(() => document.querySelector('#answer').textContent.includes('Make your guess'));
  await page.fill('#guess-4', '850');
  await answered(page, () => page.click('#exercise-5 button:has-text("This is my guess")'));
  assert.match(await page.innerText('#exercise-5'), /Yes\. Simulated: 805 µs\. Your guess: \+5\.6 %/);
  await page.selectOption('#choose-exercise', { label: '1. Short messages' });
  await page.check('#exercise-1 input[value="2"]');
  await answered(page, () => page.click('#exercise-1 button:has-text("This is my guess")'));
  assert.match(await page.innerText('#exercise-1'), /Yes\./);
  await page.click('#exercise-1 button:has-text("Next exercise")');
  assert.ok(await page.isVisible('#exercise-2'));
  assert.ok(!(await page.isVisible('#exercise-2 button:has-text("Next exercise")')), 'the next exercise comes before the guess');
  await page.click('#exercises summary');
  await page.fill('#student', 'A. Student');
  await page.press('#student', 'Tab');
  const coming = page.waitForEvent('download');
  await page.click('#export');
  const download = await coming;
  assert.equal(download.suggestedFilename(), 'A_Student.json');
  const file = JSON.parse(require('node:fs').readFileSync(await download.path(), 'utf8'));
  assert.equal(file.name, 'A. Student');
  assert.equal(file.exercises.length, 10);
  assert.equal(file.exercises[0].right, true);
  assert.deepEqual([2, 3, 4].map((number) => file.exercises[number].right), [false, null, true]);
  assert.equal(file.exercises[2].guess, 6);
  assert.ok(Math.abs(file.exercises[2].simulated_s - 0.004937) < 1e-5);
  assert.equal(file.exercises[2].earlier_guesses.length, 1, 'the guess that was taken back');
  assert.equal(file.exercises[2].notes, 'eight cores are enough');
}

/** What cannot be asked is said as the command says it, and what is shown below is grey, because it is of an earlier question. */
async function check_bad_input(page) {
  await answered(page, () => page.click('#reset'));
  const interval = await page.innerText('#answer .interval');
  assert.match(interval, /^From low to high: where the true time lies in 90 of 100 cases.*\(an assumption\)/, 'where the interval comes from');
  await page.click('#pin');
  await answered(page, () => page.press('[id="control--set-link_latency"]', 'ArrowRight'));
  await page.fill('[id="control--ranks"]', '8..x');
  await page.press('[id="control--ranks"]', 'Enter');
  await page.waitForSelector('#status.error');
  assert.match(await page.innerText('#status'), /^--ranks: '8\.\.x' .*"8\.\.64".*1024"\. What is shown below is of an earlier question\.$/);
  const opacities = () =>
    page.$$eval('#answer, #pinned, #report, p:has(> #command)', (parts) => parts.map((part) => Number(getComputedStyle(part).opacity)));
  assert.deepEqual((await opacities()).map((opacity) => opacity < 1), [true, true, true, true]);
  assert.ok(await page.isDisabled('#pin'), 'a question without an answer can be pinned');
  await answered(page, () => page.click('#undo'));
  assert.deepEqual(await opacities(), [1, 1, 1, 1]);
  await page.click('#unpin');
}

/** Each flag has its help beside its control, word by word that of the command; columns have theirs below the table. */
async function check_help(page) {
  const said = execFileSync('finegrain', ['explore', '--help-all'], { encoding: 'utf8' }).replace(/\s+/g, ' ');
  const texts = await page.$$eval('#controls .control:has([id^="control--"]:not([id^="control--link"], [id^="control--set-"])) .help', (helps) =>
    helps.map((help) => help.textContent),
  );
  assert.ok(texts.length >= 14, `only ${texts.length} controls have help`);
  for (const text of texts) assert.ok(said.includes(text.replace(/\s+/g, ' ')), `${text} is not in ${said}`);
  const help = page.locator('[id="help-of-control--policy"]');
  await page.focus('[aria-controls="help-of-control--policy"]');
  await page.keyboard.press('Enter');
  assert.match(await help.innerText(), /How accesses become messages: naive/);
  await page.keyboard.press('Enter');
  assert.ok(!(await help.isVisible()));
  await page.click('#answer summary');
  assert.match(await page.innerText('#answer dl'), /low\s+seconds below which the true time lies in 5 of 100 cases/);
  await page.click('#answer summary');
}

/** Pages of other servers, other names of this computer, and addresses without the token get nothing. */
async function check_strangers(browser) {
  const page = await (await browser.newContext()).newPage();
  const other = http.createServer((request, response) => response.end('<title>other</title>')).listen(0, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  await page.goto(`http://127.0.0.1:${other.address().port}/`);
  const got = await page.evaluate(
    (url) =>
      fetch(`${url}answers`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"flags":{}}' }).then(
        () => 'an answer',
        () => 'nothing',
      ),
    address,
  );
  assert.equal(got, 'nothing');
  other.close();
  const { hostname, port, pathname } = new URL(address);
  const status = (headers, of_path, method = 'GET', body) =>
    new Promise((resolve) => {
      const request = http.request({ hostname, port, path: of_path, method, headers }, (response) => {
        let text = '';
        response.on('data', (part) => (text += part));
        response.on('end', () => resolve([response.statusCode, text]));
      });
      request.end(body);
    });
  const json = { 'Content-Type': 'application/json' };
  const cases = [
    [{ Origin: 'http://elsewhere.example' }, pathname, 403],
    [{ Host: 'elsewhere.example' }, pathname, 403],
    [{}, '/', 404],
    [{}, `/${'0'.repeat(32)}/`, 404],
    [{}, `${pathname}../../etc/passwd`, 404],
    [{ 'Content-Type': 'text/plain' }, `${pathname}answers`, 400, 'POST', '{"flags":{}}'],
    [json, `${pathname}answers`, 400, 'POST', '{"flags":{"--matrix":"/etc/passwd"}}'],
    [json, `${pathname}answers`, 400, 'POST', '{"flags":{"--write":"stolen.csv"}}'],
    [json, `${pathname}answers`, 400, 'POST', `{"flags":${'['.repeat(20_000)}`],
    [json, `${pathname}answers`, 413, 'POST', 'x'.repeat(100_000)],
  ];
  for (const [headers, of_path, expected, method, body] of cases) {
    const [code, text] = await status(headers, of_path, method, body);
    assert.equal(code, expected, `${method ?? 'GET'} ${of_path} ${JSON.stringify(headers)} ${(body ?? '').slice(0, 60)}: ${text}`);
    assert.equal(text.trim().split('\n').length, 1, text);
    assert.ok(JSON.parse(text).error.length > 10, text);
  }
}

/** What 30 browsers ask at once is answered to all, each its own question. @return seconds, in order */
async function check_class() {
  const ask = async (number) => {
    const begin = performance.now();
    const flags = { '--heat': '2000x2000', '--ranks': '16', '--platform': 'abel', '--set': [`link_latency=x${number + 1}`, `memory_bandwidth=x${1 + number / 30}`] };
    const response = await fetch(`${address}answers`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Page': `student ${number}` },
      body: JSON.stringify({ flags }),
    });
    const last = JSON.parse((await response.text()).trim().split('\n').at(-1));
    assert.ok(last.answers, JSON.stringify(last));
    return [(performance.now() - begin) / 1000, last.answers[0].rows[0].simulated_s];
  };
  const all = await Promise.all(Array.from({ length: 30 }, (_, number) => ask(number)));
  assert.equal(new Set(all.map(([, simulated_s]) => simulated_s)).size, 30, 'answers are mixed up');
  return all.map(([seconds]) => seconds).sort((a, b) => a - b);
}

/** Jobs, one of which is a recorded program, whose controls are here, too. */
async function check_jobs(browser) {
  const { page, seen } = await opened(browser, { viewport: { width: 1400, height: 900 } });
  await answered(page);
  const before = await page.innerText('#answer');
  const { fill, choose, slide } = acts_on(page);
  await check_acts(page, {
    'scale of work': fill('control--compute-scale', '3'),
    'algorithm of allreduce': choose('control--collective-allreduce', 'ring'),
    'algorithm of barrier': choose('control--collective-barrier', 'linear'),
    work: choose('control--work', 'undisturbed'),
    'latency of links': slide('control--set-link_latency', 'ArrowRight'),
  });
  assert.notEqual(await page.innerText('#answer'), before);
  assert.equal(await page.$('[id="control--collective-alltoall"]'), null, 'no job calls it');
  assert.equal(await page.$('[id="control--ranks"]'), null, 'jobs have their own');
  assert.deepEqual(seen.trouble, []);
}

/** What only a recorded program has. */
async function check_recorded(browser) {
  const { page, seen } = await opened(browser, { viewport: { width: 1400, height: 900 } });
  await answered(page);
  const { fill, choose } = acts_on(page);
  await check_acts(page, {
    'scale of work': fill('control--compute-scale', '2'),
    'algorithm of allreduce': choose('control--collective-allreduce', 'ring'),
    'algorithm of barrier': choose('control--collective-barrier', 'linear'),
    'as before': choose('control--collective-allreduce', ''),
    work: choose('control--work', 'undisturbed'),
    noise: choose('control--noise', 'fixed:period=1ms,duration=10us'),
    'simulations with noise': fill('control--noise-runs', '2'),
  });
  assert.equal(await page.$('[id="control--collective-alltoall"]'), null, 'the program calls none');
  assert.deepEqual(seen.trouble, []);
}

/** The tabs whose request tells the program that a page is open. @return a function of no arguments */
function tellers_of(context) {
  const open = new Map();
  context.on('request', (request) => request.url().endsWith('/open') && open.set(request, request.frame().page()));
  context.on('requestfailed', (request) => open.delete(request));
  context.on('requestfinished', (request) => open.delete(request));
  const crashed = new Set();
  context.on('page', (tab) => tab.on('crash', () => crashed.add(tab)));
  return () => [...open.values()].filter((tab) => !tab.isClosed() && !crashed.has(tab));
}

async function until(what, is_so) {
  for (let tries = 0; tries < 300; ++tries) {
    if (await is_so()) return;
    await new Promise((later) => setTimeout(later, 100));
  }
  assert.fail(`it never happens that ${what}`);
}

/** A browser has six connections to one server. More tabs than that are answered, too, and one of them holds the stream. */
async function check_tabs(browser) {
  const context = await browser.newContext();
  context.setDefaultTimeout(120_000);
  const tellers = tellers_of(context);
  const tabs = await Promise.all(Array.from({ length: 8 }, () => context.newPage()));
  for (const tab of tabs) await tab.goto(address);
  for (const tab of tabs) await answered(tab);
  await until('one tab of eight tells', () => tellers().length === 1);
  const [first] = tellers();
  await first.close();
  await until('another tab takes over', () => tellers().length === 1);
  const others = tabs.filter((tab) => tab !== first);
  await answered(others.at(-1), () => others.at(-1).press('[id="control--set-link_latency"]', 'ArrowRight'));
  await until('one tab of seven tells', () => tellers().length === 1);
  for (const tab of others) assert.doesNotMatch(await tab.innerText('#status'), /has ended/);
  return { context, tellers, others };
}

/** More pages than the program lets tell it that they are open: it answers them, and none says that it has ended. */
async function check_refusal(browser) {
  const open = () => new Promise((opened) => http.get(`${address}open`, { agent: false }, (stream) => opened(stream.on('error', () => {}))));
  const streams = [];
  await until('200 pages are open', async () => {
    // Pages that were closed just now are still counted, and these are refused until then.
    for (let stream = await open(); stream.statusCode === 200; stream = await open()) streams.push(stream);
    return streams.length === 200;
  });
  const context = await browser.newContext();
  context.setDefaultTimeout(120_000);
  const tellers = tellers_of(context);
  const tab = await context.newPage();
  const refused = tab.waitForResponse((response) => response.url().endsWith('/open'));
  await tab.goto(address);
  assert.equal((await refused).status(), 503);
  await answered(tab);
  await answered(tab, () => tab.press('[id="control--set-link_latency"]', 'ArrowRight'));
  assert.doesNotMatch(await tab.innerText('#status'), /has ended/);
  for (const stream of streams) stream.destroy();
  await until('the tab tells when others have left', () => tellers().length === 1);
  await context.close();
}

/** The connection is lost, and there again: the status says again what it said before. */
async function check_short_loss(browser) {
  const { page, context } = await opened(browser);
  await answered(page);
  await page.waitForFunction(() => document.querySelector('#status').textContent.endsWith('ms.)'));
  const before = await page.innerText('#status');
  const other = await context.newPage();
  await other.goto(new URL('nothing', address).href);
  const tell = (is_lost) =>
    other.evaluate(([name, message]) => new BroadcastChannel(name).postMessage(message), [`finegrain explore ${new URL(address).pathname}`, { is_lost }]);
  for (const is_lost of [true, true, false, false]) {
    await tell(is_lost);
    await page.waitForFunction((lost) => (document.querySelector('#status.error')?.textContent ?? '').includes('has ended') === lost, is_lost);
  }
  assert.equal(await page.innerText('#status'), before);
  await context.close();
}

/** The page as students have it: from another computer's address, where a browser has fewer functions. */
async function check_class_room(browser) {
  const { page, context } = await opened(browser);
  await answered(page);
  assert.equal(await page.evaluate(() => isSecureContext), false, 'this is the page of the same computer');
  await context.grantPermissions([]);
  await page.click('#copy');
  assert.equal(await page.evaluate(() => getSelection().toString()), await page.innerText('#command'), 'what is to be copied is not selected');
  await context.close();
  await (await check_tabs(browser)).context.close();
}

/** The tab that tells crashes, and another one tells. The program ends while tabs are open: all of them say so. */
async function check_end(browser) {
  const { context, tellers, others: before } = await check_tabs(browser);
  const [crashing] = tellers();
  const others = before.filter((tab) => tab !== crashing);
  crashing.goto('chrome://crash').catch(() => {}); // it never gets there
  await until('a tab takes over from one that crashed', () => tellers().length === 1 && tellers()[0] !== crashing);
  process.kill(Number(process.env.SERVER), 'SIGINT');
  for (const tab of others) {
    await tab.waitForSelector('#status.error');
    assert.equal(await tab.innerText('#status'), 'finegrain explore has ended. Start it again to go on.');
  }
  await context.close();
}

/** Kept in the browser: if it keeps no more, the page says so, and the file for the teacher has all of it. */
async function check_long_notes(browser) {
  const { page, context } = await opened(browser);
  await answered(page);
  await page.selectOption('#choose-exercise', '0');
  const words = 'a word '.repeat(1_000_000);
  await page.$eval('#notes-0', (notes, text) => (notes.value = text), words);
  await page.$eval('#notes-0', (notes) => notes.dispatchEvent(new Event('change')));
  assert.match(await page.innerText('#not-kept'), /keeps no more/);
  await page.click('#exercises summary');
  await page.fill('#student', 'Åse Öst');
  await page.press('#student', 'Tab');
  const coming = page.waitForEvent('download');
  await page.click('#export');
  const download = await coming;
  assert.equal(download.suggestedFilename(), 'Åse_Öst.json');
  assert.equal(JSON.parse(require('node:fs').readFileSync(await download.path(), 'utf8')).exercises[0].notes, words);
  await page.fill('#notes-0', 'a word');
  await page.press('#notes-0', 'Tab');
  assert.equal(await page.innerText('#not-kept'), '');
  await context.close();
}

/** Two tabs keep notes on different exercises: both stay, and are in the file. */
async function check_notes_of_tabs(browser) {
  const { page, context } = await opened(browser);
  const other = await context.newPage();
  await other.goto(address);
  for (const [tab, number] of [[page, 0], [other, 1], [page, 2]]) {
    await tab.selectOption('#choose-exercise', String(number));
    await tab.fill(`#notes-${number}`, `note ${number}`);
    await tab.press(`#notes-${number}`, 'Tab');
  }
  await other.click('#exercises summary');
  const coming = other.waitForEvent('download');
  await other.click('#export');
  const { exercises } = JSON.parse(require('node:fs').readFileSync(await (await coming).path(), 'utf8'));
  assert.deepEqual(exercises.slice(0, 3).map(({ notes }) => notes), ['note 0', 'note 1', 'note 2']);
  await page.reload();
  assert.deepEqual(await page.$$eval('#notes-0, #notes-1, #notes-2', (all) => all.map(({ value }) => value)), ['note 0', 'note 1', 'note 2']);
  await context.close();
}

/** Each of the closed form's two numbers has a slider where the files of all chosen platforms give it. */
async function check_closed_form_alone(browser) {
  const { page, seen, context } = await opened(browser);
  await answered(page);
  const check = async (chosen, sliders, said) => {
    await answered(page, async () => {
      for (const name of ['without_tau.xml', 'without_remote_bandwidth.xml', 'abel']) if (chosen.includes(name)) await page.check(`#controls input[value="${name}"]`);
      for (const name of ['without_tau.xml', 'without_remote_bandwidth.xml', 'abel']) if (!chosen.includes(name)) await page.uncheck(`#controls input[value="${name}"]`);
    });
    const shown = await page.$$eval('.slider input', (all) => all.map(({ id }) => id.replace('control--set-', '')).filter((name) => ['tau', 'remote_bandwidth'].includes(name)));
    assert.deepEqual(shown, sliders, `sliders of ${chosen}`);
    assert.match(await page.innerText('#controls p.source'), said);
  };
  await check(['without_tau.xml'], ['remote_bandwidth'], /τ \([^)]*\) follows them\. The closed form’s W_remote \([^)]*\) stands still, since .*It has a slider below\./);
  await check(['without_remote_bandwidth.xml'], ['tau'], /τ \([^)]*\) stands still, since the file of each platform gives it\. It has a slider below\. The closed form’s W_remote \([^)]*\) follows them\./);
  await check(['abel'], ['tau', 'remote_bandwidth'], /τ \([^)]*\) and W_remote \([^)]*\) stand still, since the file of each platform gives them\. They have sliders below\./);
  await check(['without_tau.xml', 'abel'], ['remote_bandwidth'], /τ \([^)]*\) stands still on abel, whose file gives it\. It has a slider where the files of all/);
  await check(['without_tau.xml', 'without_remote_bandwidth.xml'], [], /stands still on without_remote_bandwidth\.xml/);
  assert.deepEqual(seen.trouble, []);
  await context.close();
}

/** On paper: the answer, the pinned question and the report, without controls; nothing is cut off. */
async function check_printing(browser) {
  const { page, context } = await opened(browser, { viewport: { width: 1400, height: 900 } });
  await answered(page);
  await page.click('#pin');
  await answered(page, () => page.press('[id="control--set-link_latency"]', 'ArrowRight'));
  await page.emulateMedia({ media: 'print' });
  for (const hidden of ['#question', '#exercises', '#bar', 'nav', '#theme']) assert.ok(!(await page.isVisible(hidden)), `${hidden} is printed`);
  for (const shown of ['#answer table', '#pinned table', '#command', '#timeline', '#links', '#critical-path']) assert.ok(await page.isVisible(shown), `${shown} is not printed`);
  await page.setViewportSize({ width: 1030, height: 700 }); // what A4 has between its margins
  const cut = await page.$$eval('#now *, #report *', (parts) =>
    parts.filter((part) => part.getBoundingClientRect().right > innerWidth + 1 && !part.closest('svg')).map((part) => part.outerHTML.slice(0, 80)),
  );
  assert.deepEqual(cut, [], 'wider than the paper');
  const file = await page.pdf({ path: path.join(screenshots, 'explore-printed.pdf'), preferCSSPageSize: true, printBackground: true });
  const pages = file.toString('latin1').match(/\/Type\s*\/Page\b/g).length;
  const sections = await page.$$eval('#report section', (all) => all.length);
  assert.ok(pages > sections && pages < 3 * sections, `${pages} sheets of ${sections} sections`);
  await page.emulateMedia({ media: null });
  await context.close();
}

async function main() {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] });
  try {
    if (kind === 'recorded') return await check_recorded(browser);
    if (kind === 'jobs') return await check_jobs(browser);
    if (kind === 'class') return await check_class_room(browser);
    if (kind === 'end') return await check_end(browser);
    if (kind === 'closed_form') return await check_closed_form_alone(browser);
    const { page, seen, context } = await opened(browser, { viewport: { width: 1400, height: 900 } });
    await answered(page);
    await check_command(page, 'the first question');
    const took_ms = await page.$eval('#answer', (answer) => Number(answer.dataset.ms));
    await check_values(page);
    await check_controls(page);
    await check_help(page);
    await check_closed_form(page);
    await check_pins(page);
    await check_bad_input(page);
    await check_drawing(page);
    const coarse_ms = await check_coarse(page);
    await answered(page, () => page.click('#reset'));
    await check_cancelling(page, seen);
    await check_greying(page);
    await check_progress(page);
    await check_looking_ahead(page);
    await answered(page, () => page.click('#reset'));
    await check_keyboard(page, 'explore');
    await page.screenshot({ path: path.join(screenshots, 'explore-desktop.png'), fullPage: true });
    const asked = page.url();
    await check_exercise(page);
    assert.deepEqual(seen.trouble, []);
    await context.close();

    for (const { name, colorScheme, ...options } of screens.filter((screen) => screen.name !== 'desktop')) {
      const again = await opened(browser, { ...options, colorScheme }, new URL(asked).hash);
      await answered(again.page);
      await check_command(again.page, `${name}, by the address`);
      await see_charts(again.page);
      await check_width(again.page, name);
      await check_layout(again.page, name);
      await check_charts(again.page, name, 5);
      await check_accessibility(again.page, name);
      await again.page.screenshot({ path: path.join(screenshots, `explore-${name}.png`), fullPage: true });
      assert.deepEqual(again.seen.trouble, []);
      await again.context.close();
    }
    await check_printing(browser);
    await check_long_notes(browser);
    await check_notes_of_tabs(browser);
    await check_short_loss(browser);
    await check_refusal(browser);
    await check_strangers(browser);
    const seconds = await check_class();
    console.log(`first answer ${took_ms} ms; coarse answer ${coarse_ms} ms; 30 questions at once: median ${seconds[15].toFixed(2)} s, last ${seconds[29].toFixed(2)} s`);
  } finally {
    await browser.close();
  }
}

main().catch((error) => {
  console.error(error.stack);
  process.exit(1);
});
