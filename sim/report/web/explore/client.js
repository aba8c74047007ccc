// Asks the program that serves the page: POST answers, whose lines are JSON (docs/explore.md).

const page = crypto.randomUUID?.() ?? String(Math.random());
let asked = 0;

/**
 * @param command   compare or report
 * @param flags     the question
 * @param signal    an AbortController's: the question is no longer asked
 * @param progress  called with a text while it is not answered
 * @param first_look  {flags, show}: a question that is answered before it, and what is called with its answers
 * @return what the command prints as JSON, and what it warned of
 * @throws Error with the command's one line
 */
export async function ask(command, flags, signal, progress, first_look) {
  const response = await fetch('answers', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Page': page, 'X-Question': String(++asked) },
    body: JSON.stringify({ command, flags, first_look: first_look?.flags }),
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
      if (said.first_look) first_look.show(said.first_look);
      else progress(said.waiting ? `waiting for ${said.waiting} other questions` : said.progress);
    }
  }
}

/** So long a tab waits whether another one says that it tells: at least, and how much more at random. */
const turn_ms = [200, 300];
/** So often the others ask whether one still tells, and one that was refused tries again. */
const between_asking_ms = 10_000;

/** Whether the program still serves the page. */
const is_served = () => fetch('.', { method: 'HEAD' }).then(({ ok }) => ok, () => false);

/**
 * Tells the program for as long as the page is open, with a request that does not end. A browser has six connections to one server, for
 * all of its tabs, so one tab tells for all of them.
 * @param lost  called with whether the program has ended, in every tab
 */
export function stay_open(lost) {
  const name = `finegrain explore ${location.pathname}`; // whose token no other program has
  const tabs = new BroadcastChannel(name);
  const lost_in_all = (is_lost) => {
    lost(is_lost);
    tabs.postMessage({ is_lost });
  };
  tabs.addEventListener('message', ({ data }) => data.is_lost !== undefined && lost(data.is_lost));
  const tell = (resign) => {
    const source = new EventSource('open');
    source.onopen = () => lost_in_all(false);
    source.onerror = async () => {
      if (source.readyState !== EventSource.CLOSED) return lost_in_all(true); // it tries again
      resign(); // it was refused, as by a program that has too many pages, so another tab may tell
      lost_in_all(!(await is_served()));
    };
    return source;
  };
  if (navigator.locks) tell_with_lock(name, tell, () => tell_in_turns(tabs, tell));
  else tell_in_turns(tabs, tell);
}

/** The tab that has the lock tells. When it is closed, crashes or sleeps, the browser gives the lock to another one. */
function tell_with_lock(name, tell, otherwise) {
  const again = () => setTimeout(() => tell_with_lock(name, tell, otherwise), between_asking_ms);
  navigator.locks.request(name, () => new Promise(tell)).then(again, otherwise);
}

/** Where the page comes from another computer, a browser has no locks, and tabs agree by messages. */
function tell_in_turns(tabs, tell) {
  let source; // the request, in the tab that tells
  let turn;
  const announce = () => tabs.postMessage({ tells: page });
  const resign = () => {
    source?.close();
    source = undefined;
  };
  const take_turn = () => {
    clearTimeout(turn);
    turn = setTimeout(() => {
      source ??= tell(resign);
      announce();
    }, turn_ms[0] + turn_ms[1] * Math.random());
  };
  const ask_who_tells = () => {
    if (source) return;
    tabs.postMessage({ asks: true });
    take_turn();
  };
  tabs.addEventListener('message', ({ data }) => {
    if (data.leaves) take_turn();
    if (data.asks && source) announce();
    if (data.tells === undefined) return;
    clearTimeout(turn);
    if (source && data.tells < page) resign(); // the first by name stays
    else if (source) announce();
  });
  window.addEventListener('pagehide', () => {
    if (!source) return clearTimeout(turn);
    resign();
    tabs.postMessage({ leaves: true });
  });
  ask_who_tells();
  setInterval(ask_who_tells, between_asking_ms);
}
