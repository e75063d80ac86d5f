/** Forwards the Worker's paths to the Worker. public/_routes.json lists them, so no other path costs an invocation. */
type Context = { request: Request; env: { API: { fetch(request: Request): Promise<Response> } } }

export const onRequest = ({ request, env }: Context): Promise<Response> => env.API.fetch(request)
