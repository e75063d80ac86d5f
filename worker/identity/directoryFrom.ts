import type { Deps } from '../appEnv.ts'
import { CognitoDirectory } from './cognitoDirectory.ts'
import { D1Directory } from './d1Directory.ts'
import type { IdentityDirectory } from './directory.ts'

/** The directory that IDENTITY_DIRECTORY names. */
export const directoryFrom = (deps: Deps): IdentityDirectory =>
  deps.env.IDENTITY_DIRECTORY === 'cognito' ? new CognitoDirectory(deps) : new D1Directory(deps)
