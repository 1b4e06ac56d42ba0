// News from the server: parts of the page come anew when they change.
import { texts } from "/assets/texts.js";

export function listen({ say, changed }) {
  const source = document.body.dataset.live;
  const connection = document.getElementById("connection");
  if (!source) return;
  let stream = null;
  let version = null;

  const show = (words, state) => {
    if (!connection) return;
    connection.textContent = words;
    connection.className = state;
  };

  const open = () => {
    if (stream || document.hidden) return;
    stream = new EventSource(source);
    stream.addEventListener("open", () => show(texts.live, "live"));
    stream.addEventListener("error", () => {
      show(texts.lost, "lost");
      // The browser gives up by itself after some kinds of failure.
      if (stream?.readyState === EventSource.CLOSED) {
        stream = null;
        setTimeout(open, 1000);
      }
    });
    // One part of the page as it is now: `data` is its name, a newline, and its inside.
    stream.addEventListener("part", (event) => {
      const at = event.data.indexOf("\n");
      const part = document.getElementById(event.data.slice(0, at));
      if (!part) return;
      const focused = part.contains(document.activeElement) ? document.activeElement.id : null;
      part.innerHTML = event.data.slice(at + 1);
      if (focused) document.getElementById(focused)?.focus();
      changed();
    });
    stream.addEventListener("say", (event) => say(event.data));
    // Another program serves this page now: take its scripts and styles.
    stream.addEventListener("version", (event) => {
      if (version !== null && version !== event.data) location.reload();
      version = event.data;
    });
  };

  const close = () => {
    stream?.close();
    stream = null;
    show(texts.hidden, "");
  };

  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  window.addEventListener("pagehide", () => {
    stream?.close();
    stream = null;
  });
  // A page that comes back from the browser's memory has no stream any more.
  window.addEventListener("pageshow", open);
  open();
}
