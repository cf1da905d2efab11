// The entry `unbraid/mcp`: tools of an MCP server for the loop. By name, nothing else.

export type { McpAnnotations, McpClient, McpProgress, McpRequestOptions, McpTool } from "./client.ts";
export { mcpTools, type McpToolSet, type McpToolsOptions } from "./tools.ts";
export type { JsonSchema } from "../turns/turn-form.ts";
export type { Tool } from "../harness/tool.ts";
