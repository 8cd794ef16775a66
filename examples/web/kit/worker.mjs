// Runs the workshop in a worker. The first message is the compiled core; each further message is an order.

import { loadCore } from "./core.mjs";
import { Workshop } from "./workshop.mjs";

/** @type {Promise<Workshop> | undefined} */
let ready;

self.onmessage = async ({ data }) => {
  if (data instanceof WebAssembly.Module) {
    ready = loadCore(data).then((core) => new Workshop(core));
    return;
  }
  const { number, order } = data;
  try {
    const { reply, transfer } = /** @type {Workshop} */ (await ready).handle(order);
    self.postMessage({ number, reply }, { transfer });
  } catch (error) {
    self.postMessage({ number, failure: /** @type {Error} */ (error).message });
  }
};
