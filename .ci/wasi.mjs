// Runs a WebAssembly program with arguments and the folder for temporary files: node wasi.mjs PROGRAM ARGUMENT…
import { readFile } from "node:fs/promises";
import { WASI } from "node:wasi";

const [, , program, ...words] = process.argv;
const wasi = new WASI({
  version: "preview1",
  args: [program, ...words],
  env: { ...process.env, TMPDIR: "/tmp" },
  preopens: { "/tmp": process.env.TMPDIR ?? "/tmp" },
});
const module = await WebAssembly.compile(await readFile(program));
process.exitCode = wasi.start(await WebAssembly.instantiate(module, wasi.getImportObject()));
