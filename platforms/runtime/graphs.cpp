#include "runtime/graphs.h"

#include <algorithm>
#include <functional>
#include <queue>

#include "runtime/runtime.h"

namespace heddle::runtime {

GraphNode* Graph::add(std::unique_ptr<GraphNode> node) {
  nodes.push_back(std::move(node));
  GraphNode* const added = nodes.back().get();
  known_[added] = added;
  return added;
}

void Graph::remove(const GraphNode* node) {
  for (const auto& each : nodes) std::erase(each->needs, node);
  std::erase_if(nodes, [node](const auto& each) { return each.get() == node; });
  known_.erase(node);
}

GraphNode* Graph::find(const GraphNode* node) const {
  const auto found = known_.find(node);
  return found == known_.end() ? nullptr : found->second;
}

std::vector<std::pair<const GraphNode*, const GraphNode*>> Graph::edges() const {
  std::vector<std::pair<const GraphNode*, const GraphNode*>> all;
  for (const auto& each : nodes)
    for (const GraphNode* const need : each->needs) all.emplace_back(need, each.get());
  return all;
}

std::vector<const GraphNode*> Graph::ordered() const {
  std::map<const GraphNode*, std::size_t> place;
  for (std::size_t i = 0; i < nodes.size(); ++i) place[nodes[i].get()] = i;
  std::vector<std::size_t> open(nodes.size());
  std::vector<std::vector<std::size_t>> dependent(nodes.size());
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> next;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    open[i] = nodes[i]->needs.size();
    for (const GraphNode* const need : nodes[i]->needs) dependent[place.at(need)].push_back(i);
    if (open[i] == 0) next.push(i);
  }
  std::vector<const GraphNode*> order;
  for (; !next.empty();) {
    const std::size_t first = next.top();
    next.pop();
    order.push_back(nodes[first].get());
    for (const std::size_t each : dependent[first])
      if (--open[each] == 0) next.push(each);
  }
  if (order.size() < nodes.size()) order.clear();
  return order;
}

GraphExec::Step* GraphExec::find(const GraphNode* node) {
  const auto found =
      std::find_if(steps.begin(), steps.end(), [&](const Step& each) { return each.node == node; });
  return found == steps.end() ? nullptr : &*found;
}

GraphMemory::~GraphMemory() {
  runtime->graphs.memory_.erase(address);
  runtime->graphs.count_memory(0, 0 - bytes);
  if (!allocated) (void)runtime->memory.free(*runtime, address);  // else it is the program's now
}

Graph* Graphs::create() {
  auto graph = std::make_unique<Graph>();
  Graph* const handle = graph.get();
  graphs_.emplace(handle, std::move(graph));
  return handle;
}

Graph* Graphs::clone(const Graph& graph) {
  Graph* const copy = create();
  std::map<const GraphNode*, const GraphNode*> same;
  for (const auto& each : graph.nodes) {
    GraphNode* const made = copy->add(std::make_unique<GraphNode>(*each));
    made->original = each.get();
    same[each.get()] = made;
    if (Graph** const child = std::get_if<Graph*>(&made->given)) {
      *child = clone(**child);
      (*child)->of_node = true;
    }
  }
  for (const auto& each : copy->nodes)
    for (const GraphNode*& need : each->needs) need = same[need];
  return copy;
}

void Graphs::destroy(const Graph* graph) {
  const auto found = graphs_.find(graph);
  if (found == graphs_.end()) return;
  const std::unique_ptr<Graph> gone = std::move(found->second);
  graphs_.erase(found);
  for (const auto& each : gone->nodes) drop(each->given);
}

void Graphs::drop(const GraphNode::Given& given) {
  if (Graph* const* const child = std::get_if<Graph*>(&given)) destroy(*child);
}

void Graphs::let_go(Graph& graph, bool keep) {
  --graph.captures;
  if (!keep) destroy(&graph);
}

namespace {

void append(std::vector<Stream::Entry>& entries, const GraphNode& node) {
  entries.insert(entries.end(), node.entries.begin(), node.entries.end());
  if (Graph* const* const child = std::get_if<Graph*>(&node.given))
    for (const GraphNode* const each : (*child)->ordered()) append(entries, *each);
}

}  // namespace

std::vector<Stream::Entry> GraphNode::operations() const {
  std::vector<Stream::Entry> all;
  append(all, *this);
  return all;
}

std::vector<Stream::Entry> Graph::operations() const {
  std::vector<Stream::Entry> all;
  for (const GraphNode* const each : ordered()) append(all, *each);
  return all;
}

std::vector<GraphExec::Step> GraphExec::steps_of(const Graph& graph) {
  std::vector<Step> steps;
  std::map<const GraphNode*, std::size_t> place;
  for (const GraphNode* const node : graph.ordered()) {
    Step step{node, node->type, node->operations(), {}};
    for (const GraphNode* const need : node->needs) step.needs.push_back(place.at(need));
    std::sort(step.needs.begin(), step.needs.end());
    place[node] = steps.size();
    steps.push_back(std::move(step));
  }
  return steps;
}

GraphExec* Graphs::create_exec(const Graph& graph, unsigned long long flags) {
  auto exec = std::make_unique<GraphExec>();
  exec->flags = flags;
  exec->steps = GraphExec::steps_of(graph);
  GraphExec* const handle = exec.get();
  execs_.emplace(handle, std::move(exec));
  return handle;
}

Graph& Graphs::graph_of(Capture& capture) {
  if (capture.graph == nullptr) {
    capture.graph = create();
    capture.graph->captures = 1;
  }
  for (; capture.in_graph < capture.entries.size(); ++capture.in_graph) {  // in the order of the calls
    Stream::Entry& entry = capture.entries[capture.in_graph];
    auto node = std::make_unique<GraphNode>();
    node->type = entry.function == nullptr ? entry.type : int{GraphNode::kHost};
    node->needs = std::move(capture.last);
    node->entries.push_back(std::move(entry));
    capture.last = {capture.graph->add(std::move(node))};
  }
  return *capture.graph;
}

Graph* Graphs::graph_of(const GraphNode* node) const {
  for (const auto& [handle, graph] : graphs_)
    if (graph->find(node) != nullptr) return graph.get();
  return nullptr;
}

void Graphs::count_memory(std::uint64_t used, std::uint64_t reserved) {
  counts_[0] += used;
  counts_[2] += reserved;
  counts_[1] = std::max(counts_[1], counts_[0]);
  counts_[3] = std::max(counts_[3], counts_[2]);
}

Code Graphs::allocate(Runtime& runtime, Stream& stream, void** pointer, std::size_t bytes) {
  if (pointer == nullptr || bytes == 0) return Code::kInvalidValue;
  std::uint64_t address = 0;
  if (const Code code = runtime.memory.allocate(runtime, bytes, address); code != Code::kSuccess) return code;
  auto memory = std::make_shared<GraphMemory>();
  memory->runtime = &runtime;
  memory->address = address;
  memory->bytes = bytes;
  memory_[address] = memory;
  count_memory(0, bytes);
  *pointer = reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr)
  Stream::Entry entry;
  entry.type = GraphNode::kAllocate;
  entry.data = memory.get();
  entry.operation = [this, memory] {
    if (memory->allocated) return Code::kInvalidValue;
    memory->allocated = true;
    count_memory(memory->bytes, 0);
    return Code::kSuccess;
  };
  stream.capture->add(stream, std::move(entry));
  return Code::kSuccess;
}

Code Graphs::release(Stream& stream, void* pointer) {
  const auto found = memory_.find(reinterpret_cast<std::uint64_t>(pointer));
  if (found == memory_.end()) return Code::kInvalidValue;
  Stream::Entry entry;
  auto memory = found->second.lock();
  entry.type = GraphNode::kRelease;
  entry.data = memory.get();
  entry.operation = [this, memory] { return give_back(*memory); };
  stream.capture->add(stream, std::move(entry));
  return Code::kSuccess;
}

Code Graphs::give_back(GraphMemory& memory) {
  if (!memory.allocated) return Code::kInvalidValue;
  memory.allocated = false;
  count_memory(0 - memory.bytes, 0);
  return Code::kSuccess;
}

GraphMemory* Graphs::memory_at(const void* pointer) const {
  const auto found = memory_.find(reinterpret_cast<std::uint64_t>(pointer));
  return found == memory_.end() ? nullptr : found->second.lock().get();
}

}  // namespace heddle::runtime
