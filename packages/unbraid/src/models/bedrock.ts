// A model on Amazon Bedrock's ConverseStream wire. Owns its address and body. Signing with AWS keys is left to the AWS
// client: over fetch a Bedrock API key is needed.

import { fullWire } from "../full-wire.ts";
import type { Model } from "../harness/model.ts";
import { bedrock as protocol } from "../protocols/bedrock.ts";
import { bedrockTurns as form } from "../turns/bedrock.ts";
import { bearer } from "./bearer.ts";
import { type ClientModelOptions, type HttpModelOptions, modelOf } from "./model-of.ts";

/** What is used of a `BedrockRuntimeClient`. */
export interface BedrockClient {
  /** Sends a command. */
  send(command: never, options?: { abortSignal?: AbortSignal }): Promise<unknown>;
}

/** Over fetch, with a Bedrock API key. */
export interface BedrockHttpOptions extends HttpModelOptions {
  /** The AWS region, `us-east-1`, where no `baseURL` is given. */
  readonly region?: string;
}

/** Over the AWS client, with whatever credentials it has. */
export interface BedrockClientOptions extends ClientModelOptions<BedrockClient> {
  /** Makes the command: `(input) => new ConverseStreamCommand(input)`. */
  readonly command: (input: never) => unknown;
}

/**
 * A model that speaks Bedrock's Converse.
 *
 * @param options Over fetch: model, `region` or `baseURL`, and a Bedrock API key; or a model, an AWS client and what makes
 *   its command.
 * @throws TypeError where the options cannot be used.
 * @example
 * bedrock({ model: "amazon.nova-pro-v1:0", region: "us-east-1", apiKey });
 * bedrock({ model, client: new BedrockRuntimeClient(), command: (input) => new ConverseStreamCommand(input) });
 */
export function bedrock(options: BedrockHttpOptions | BedrockClientOptions): Model {
  const command = "client" in options ? options.command : undefined;
  const region = "client" in options ? undefined : options.region;
  return modelOf<BedrockClient>(
    {
      wire: fullWire(protocol),
      form,
      provider: "aws.bedrock",
      baseURL: region === undefined ? undefined : `https://bedrock-runtime.${region}.amazonaws.com`,
      path: (model) => `/model/${encodeURIComponent(model)}/converse-stream`,
      headers: bearer,
      body: (_, parts) => parts,
      ask: async (client, body, signal, model) => {
        const input = { modelId: model, ...body };
        const output = await client.send(command?.(input as never) as never, { abortSignal: signal });
        return (output as { readonly stream: AsyncIterable<unknown> }).stream;
      },
    },
    options,
  );
}
