import type { Deps } from '../appEnv.ts'
import { cognitoDirectory } from './cognitoDirectory.ts'
import { d1Directory } from './d1Directory.ts'
import type { IdentityDirectory } from './directory.ts'

/** The directory that IDENTITY_DIRECTORY names. */
export const directoryFrom = (deps: Deps): IdentityDirectory =>
  deps.env.IDENTITY_DIRECTORY === 'cognito' ? cognitoDirectory(deps) : d1Directory(deps)
