import { installClients } from './clients.ts'

/** For tests that use packages of tests/clients in this process and need nothing else. */
export default () => installClients()
