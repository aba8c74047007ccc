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
      if (said.answers) return said;
      progress(said.waiting ? `waiting for ${said.waiting} other questions` : said.progress);
    }
  }
}

/** Tells the program for as long as the page is open. @param lost  called when the program has ended */
export function stay_open(lost) {
  const tell = () => {
    const source = new EventSource('open');
    source.onopen = () => lost(false);
    return new Promise((resolve) => {
      source.onerror = () => {
        lost(true);
        if (source.readyState === EventSource.CLOSED) resolve(); // it was refused, so another tab may tell
      };
    });
  };
  // A browser has six connections to one server, for all of its tabs. One of them tells for all; when it is closed, another does.
  // Where the page comes from another computer, a browser has no locks.
  const own_lock = `finegrain explore is open ${location.pathname}`; // whose token no other program has
  if (navigator.locks) navigator.locks.request(own_lock, tell).catch(tell);
  else tell();
}
