/** Pages: the Worker's paths (listed in public/_routes.json, so nothing else costs an invocation) go to the Worker. */
type Context = { request: Request; env: { API: { fetch(request: Request): Promise<Response> } } }

export const onRequest = ({ request, env }: Context): Promise<Response> => env.API.fetch(request)
