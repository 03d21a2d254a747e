/* A browser runs no worker in a page that was opened from a folder. The search then works in a hidden frame. */
if (location.protocol === "file:") {
  const load = (page, source) =>
    new Promise((loaded, failed) => {
      const script = page.createElement("script");
      script.src = source;
      script.onload = loaded;
      script.onerror = failed;
      page.body.append(script);
    });
  window.Worker = class extends EventTarget {
    constructor(source) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      const opened = new Promise((loaded) => frame.addEventListener("load", loaded, { once: true }));
      document.body.append(frame);
      this.ready = opened.then(async () => {
        const scope = frame.contentWindow;
        scope.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
        scope.importScripts = async (...sources) => {
          for (const one of sources) await load(frame.contentDocument, one);
        };
        await load(frame.contentDocument, source);
        return scope;
      });
    }
    postMessage(data) {
      this.ready.then((scope) => scope.dispatchEvent(new MessageEvent("message", { data })));
    }
    terminate() {}
  };
}
