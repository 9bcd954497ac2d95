/* Browsers start no worker from a file, so that a page read from disk goes on without its search. */
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    postMessage() {}
    terminate() {}
  };
}
