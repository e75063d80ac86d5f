// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {AgentWallet} from "./AgentWallet.sol";

/// @title Submits many signed calls in one transaction. A call that fails does not affect the others.
/// @notice Has no privileges and must hold no assets: the signatures inside each call authorise it.
/// @dev Every item is a low-level call with a gas cap, and its return data is never copied, so a hostile target costs
/// at most its cap. Solidity's try/catch would revert the batch if a target has no code, and Multicall3 would report
/// such an item as a success. Simulate with eth_call to learn in advance which items would fail.
///
/// A call receives at most 63/64 of the remaining gas, which can silently be less than its cap. Therefore the gas for
/// all caps, plus the highest cap once more, must be available at the start. A check before each item would revert the
/// batch after good items had already run. Unused gas is not charged.
contract Relay {
    struct Call {
        address target;
        /// @dev The maximum gas of the call.
        uint256 gasCap;
        bytes data;
    }

    /// @notice Length of a packed send: wallet 20, to 20, amount 8, nonce 8, deadline 6, r 32, vs 32.
    uint256 public constant SEND_LENGTH = 126;
    /// @notice The returned bitmap is one word.
    uint256 public constant MAX_ITEMS = 256;
    /// @notice Gas reserved per item in addition to its cap, for the call to a cold account, the loop and `ItemFailed`.
    uint256 public constant ITEM_OVERHEAD = 6_000;

    /// @notice Item `index` reverted, exceeded its gas cap, or its target has no code. Success emits no event.
    event ItemFailed(uint256 index);

    /// @notice The length is not a multiple of `SEND_LENGTH`.
    error MalformedBatch(uint256 length);
    error TooManyItems(uint256 count, uint256 highest);

    /// @notice The gas does not cover the caps of all items, so the last items would fail for lack of gas.
    error NotEnoughGas(uint256 available, uint256 needed);

    /// @notice Submit sends in packed form.
    /// @param gasCap The maximum gas of each send.
    /// @param packed Sends of `SEND_LENGTH` bytes each, concatenated.
    /// @return failed Bit i: item i failed.
    function sends(uint256 gasCap, bytes calldata packed) external returns (uint256 failed) {
        uint256 count = packed.length / SEND_LENGTH;
        if (packed.length % SEND_LENGTH != 0) revert MalformedBatch(packed.length);
        if (count > MAX_ITEMS) revert TooManyItems(count, MAX_ITEMS);
        if (gasleft() / (count + 1) < gasCap + ITEM_OVERHEAD) {
            revert NotEnoughGas(gasleft(), (count + 1) * (gasCap + ITEM_OVERHEAD));
        }

        uint256 item;
        assembly ("memory-safe") {
            item := packed.offset
        }
        for (uint256 i = 0; i < count; ++i) {
            (address wallet, bool success) = _send(gasCap, item);
            failed |= _note(i, wallet, success);
            item += SEND_LENGTH;
        }
    }

    /// @notice Submit any calls: deployments, first sends, announcements, claims.
    /// @return failed Bit i: item i failed.
    function calls(Call[] calldata list) external returns (uint256 failed) {
        uint256 count = list.length;
        if (count > MAX_ITEMS) revert TooManyItems(count, MAX_ITEMS);
        uint256 needed = ITEM_OVERHEAD;
        uint256 highest;
        for (uint256 i = 0; i < count; ++i) {
            uint256 gasCap = list[i].gasCap;
            // Copying the data into memory is paid by this contract, not from the item's cap.
            needed += gasCap + ITEM_OVERHEAD + list[i].data.length;
            if (gasCap > highest) highest = gasCap;
        }
        needed += highest;
        if (gasleft() < needed) revert NotEnoughGas(gasleft(), needed);

        for (uint256 i = 0; i < count; ++i) {
            address target = list[i].target;
            uint256 gasCap = list[i].gasCap;
            bytes calldata data = list[i].data;
            bool success;
            // In plain Solidity: target.call{gas: gasCap}(data), which would copy the return data. The free memory
            // pointer does not move, so each item reuses the same memory.
            assembly ("memory-safe") {
                let free := mload(0x40)
                calldatacopy(free, data.offset, data.length)
                success := call(gasCap, target, 0, free, data.length, 0, 0)
            }
            failed |= _note(i, target, success);
        }
    }

    /// @dev Calls the wallet of the packed send at calldata offset `item`. In plain Solidity: `wallet.call{gas:
    /// gasCap}( abi.encodeCall(AgentWallet.send, (to, amount, nonce, deadline, r, vs)))`, which would copy the return
    /// data.
    function _send(uint256 gasCap, uint256 item) private returns (address wallet, bool success) {
        bytes4 selector = AgentWallet.send.selector;
        assembly ("memory-safe") {
            let free := mload(0x40)
            wallet := shr(96, calldataload(item))
            mstore(free, selector)
            mstore(add(free, 0x04), shr(96, calldataload(add(item, 20))))
            mstore(add(free, 0x24), shr(192, calldataload(add(item, 40))))
            mstore(add(free, 0x44), shr(192, calldataload(add(item, 48))))
            mstore(add(free, 0x64), shr(208, calldataload(add(item, 56))))
            calldatacopy(add(free, 0x84), add(item, 62), 64)
            success := call(gasCap, wallet, 0, free, 0xc4, 0, 0)
        }
    }

    /// @dev Returns the item's bit if it failed. A call to an address without code succeeds, hence the check; the
    /// account is warm by then.
    function _note(uint256 index, address target, bool success) private returns (uint256) {
        if (success && target.code.length != 0) return 0;
        emit ItemFailed(index);
        return 1 << index;
    }
}
