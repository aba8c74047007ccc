// Asks the program that serves the page: POST answers, whose lines are JSON (docs/explore.md).

const page = crypto.randomUUID?.() ?? String(Math.random());
let asked = 0;

/**
 * @param command   compare or report
 * @param flags     the question
 * @param signal    an AbortController's: the question is no longer asked
 * @param progress  called with a text while it is not answered
 * @return what the command prints as JSON, and what it warned of
 * @throws Error with the command's one line
 */
export async function ask(command, flags, signal, progress) {
  const response = await fetch('answers', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Page': page, 'X-Question': String(++asked) },
    body: JSON.stringify({ command, flags }),
    signal,
  });
  if (!response.ok) throw new Error((await response.json()).error);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) throw new Error('finegrain explore has ended. Start it again');
    const lines = (rest + value).split('\n');
    rest = lines.pop();
    for (const line of lines) {
      const said = JSON.parse(line);
      if (said.error) throw new Error(said.error);
      if (said.answers) {
        reader.read().catch(() => {}); // to its end, after which the connection serves the next question
        return said;
      }
      progress(said.waiting ? `waiting for ${said.waiting} other questions` : said.progress);
    }
  }
}

/** So long a tab waits whether another one says that it tells: at least, and how much more at random. */
const turn_ms = [200, 300];
/** So often the others ask whether one still tells. */
const between_asking_ms = 10_000;

/**
 * Tells the program for as long as the page is open, with a request that does not end. A browser has six connections to one server, for
 * all of its tabs, so one tab tells for all of them. They agree by messages: where the page comes from another computer, a browser has
 * no locks.
 * @param lost  called with whether the program has ended, in every tab
 */
export function stay_open(lost) {
  const tabs = new BroadcastChannel(`finegrain explore ${location.pathname}`); // whose token no other program has
  let source; // of the tab that tells
  let turn;
  const announce = () => tabs.postMessage({ tells: page });
  const resign = () => {
    source?.close();
    source = undefined;
  };
  const lost_in_all = (is_lost) => {
    lost(is_lost);
    tabs.postMessage({ is_lost });
  };
  const tell = () => {
    source ??= new EventSource('open');
    source.onopen = () => lost_in_all(false);
    source.onerror = () => {
      lost_in_all(true);
      if (source?.readyState === EventSource.CLOSED) resign(); // it was refused, so another tab may tell
    };
    announce();
  };
  const take_turn = () => {
    clearTimeout(turn);
    turn = setTimeout(tell, turn_ms[0] + turn_ms[1] * Math.random());
  };
  const ask_who_tells = () => {
    if (source) return;
    tabs.postMessage({ asks: true });
    take_turn();
  };
  tabs.onmessage = ({ data }) => {
    if (data.is_lost !== undefined) lost(data.is_lost);
    if (data.leaves) take_turn();
    if (data.asks && source) announce();
    if (data.tells === undefined) return;
    clearTimeout(turn);
    if (source && data.tells < page) resign(); // of two, the first by name
    else if (source) announce();
  };
  window.addEventListener('pagehide', () => {
    if (!source) return clearTimeout(turn);
    resign();
    tabs.postMessage({ leaves: true });
  });
  ask_who_tells();
  setInterval(ask_who_tells, between_asking_ms);
}
