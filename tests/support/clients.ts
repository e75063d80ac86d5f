/**
 * Heavy tools that only tests use: tests/clients has its own lockfile, so that users of the product need none. Those of
 * tests/assistants are for `npm run test:long connect` only, those of tests/sellers for `npm run test:long sellers`.
 */
import { execFile } from 'node:child_process'
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { patient } from './patience.ts'

type Folder = 'clients' | 'assistants' | 'sellers'

const pathOf = (folder: Folder) => join(import.meta.dirname, '..', folder)
const waitMs = patient(300_000) // 5 minutes

/** A file of an installed package. */
export const clientPath = (path: string, folder: Folder = 'clients') => join(pathOf(folder), 'node_modules', path)

/**
 * A module of an installed package. Untyped: types are checked before these packages are installed.
 */
// biome-ignore lint/suspicious/noExplicitAny: see above
export const importClient = (path: string, folder: Folder = 'clients'): Promise<any> =>
  import(/* @vite-ignore */ pathToFileURL(clientPath(path, folder)).href)

/** Runs a program of an installed package with this Node. Returns its exit code and output. */
export async function runClient(path: string, args: string[], env: Record<string, string> = {}) {
  const run = promisify(execFile)(process.execPath, [clientPath(path), ...args], {
    env: { ...process.env, ...env },
    maxBuffer: 50 * 1024 * 1024,
  })
  const done = await run.catch((error: { code?: number; stdout: string; stderr: string }) => error)
  return { code: 'code' in done ? (done.code ?? 1) : 0, stdout: done.stdout, stderr: done.stderr }
}

/** Runs `npm ci` unless it was run since the lockfile changed; one process at a time. */
export async function installClients(folder: Folder = 'clients'): Promise<void> {
  const deadline = Date.now() + waitMs
  const cwd = pathOf(folder)
  const lock = join(cwd, '.installing')
  while (!isCurrent(folder, lock)) {
    if (takeLock(lock)) {
      try {
        if (!isCurrent(folder, lock))
          await promisify(execFile)('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd })
      } finally {
        rmSync(lock, { force: true })
      }
      return
    }
    if (Date.now() > deadline) throw new Error(`${lock} was not released within ${waitMs / 1000} s`)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

function isCurrent(folder: Folder, lock: string): boolean {
  const installed = clientPath('.package-lock.json', folder)
  return (
    !existsSync(lock) &&
    existsSync(installed) &&
    statSync(installed).mtimeMs >= statSync(join(pathOf(folder), 'package-lock.json')).mtimeMs
  )
}

/** Returns false if the lock file exists, after deleting that of a dead process. */
function takeLock(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' })
    return true
  } catch {
    const holder = existsSync(lock) ? Number(readFileSync(lock, 'utf8')) : 0
    if (holder > 0 && !isAlive(holder)) rmSync(lock, { force: true })
    return false
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
