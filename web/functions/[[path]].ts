/** Forwards the Worker's paths to the Worker. _routes.json lists them, so that no other path costs an invocation. */
export const onRequest: PagesFunction<{ API: Fetcher }> = ({ request, env }) => env.API.fetch(request)
