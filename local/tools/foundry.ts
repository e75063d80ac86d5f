import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/** Path of the native program in the npm package. Its JavaScript wrapper hides the exit code and is one more process. */
export function foundryProgram(tool: 'forge' | 'anvil'): string {
  const arch = process.arch === 'x64' ? 'amd64' : process.arch
  const platform = `@foundry-rs/${tool}-${process.platform}-${arch}`
  const suffix = process.platform === 'win32' ? '.exe' : ''
  const fromWrapper = createRequire(require.resolve(`@foundry-rs/${tool}/package.json`))
  return fromWrapper.resolve(`${platform}/bin/${tool}${suffix}`)
}
