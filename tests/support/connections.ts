/**
 * Every request of a test gets its own connection. A server closes an idle connection after some seconds; on a busy machine
 * that may happen just as fetch sends the next request on it, and fetch does not repeat a POST.
 */
import { Agent, setGlobalDispatcher } from 'undici'

setGlobalDispatcher(new Agent({ pipelining: 0 }))
