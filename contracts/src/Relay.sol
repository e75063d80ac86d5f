// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {AgentWallet} from "./AgentWallet.sol";

/// @title Delivers many signed intents in one transaction; one that fails does not touch the others.
/// @notice Has no privileges and must hold nothing: everything it delivers is authorised by signatures inside.
/// @dev Every item is a low-level call with a gas cap whose return data is never copied, so a hostile target costs at
/// most its cap. Solidity's try/catch would revert the batch on a target without code, and Multicall3 would count it as
/// a success. Call the functions with eth_call to learn beforehand which items would fail.
///
/// A call passes on at most 63/64 of the gas left, silently less than its cap when little is left. So the gas for all
/// caps, and for the dearest once more, must be there at the start: a check before each item would revert after good
/// items had run. What is not used is not charged.
contract Relay {
    struct Call {
        address target;
        /// @dev The most gas the call may use.
        uint256 gasCap;
        bytes data;
    }

    /// @notice Length of a packed send: wallet 20, to 20, amount 8, nonce 8, deadline 6, r 32, vs 32.
    uint256 public constant SEND_LENGTH = 126;
    /// @notice The result is a bitmap of one word.
    uint256 public constant MAX_ITEMS = 256;
    /// @notice Gas set aside for each item besides its cap: the call to a cold account, the loop and the failure's log.
    uint256 public constant ITEM_OVERHEAD = 6_000;

    /// @notice Item `index` reverted, ran out of its cap or has no code. There is no event for success.
    event ItemFailed(uint256 index);

    /// @notice The packed bytes are no whole number of sends.
    error MalformedBatch(uint256 length);
    error TooManyItems(uint256 count, uint256 highest);

    /// @notice The transaction's gas does not cover the caps of all items, so the last ones would fail by themselves.
    error NotEnoughGas(uint256 available, uint256 needed);

    /// @notice Deliver sends, compressed.
    /// @param gasCap The most gas each send may use.
    /// @param packed Sends of `SEND_LENGTH` bytes each, one after the other.
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

    /// @notice Deliver anything: deployments, first sends, announcements, claims.
    /// @return failed Bit i: item i failed.
    function calls(Call[] calldata list) external returns (uint256 failed) {
        uint256 count = list.length;
        if (count > MAX_ITEMS) revert TooManyItems(count, MAX_ITEMS);
        uint256 needed = ITEM_OVERHEAD;
        uint256 highest;
        for (uint256 i = 0; i < count; ++i) {
            uint256 gasCap = list[i].gasCap;
            // Copying the data into memory is paid here, not from the item's cap.
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
            // Plain Solidity: target.call{gas: gasCap}(data), which would copy the return data. The free memory pointer
            // is not moved: each item reuses the same memory.
            assembly ("memory-safe") {
                let free := mload(0x40)
                calldatacopy(free, data.offset, data.length)
                success := call(gasCap, target, 0, free, data.length, 0, 0)
            }
            failed |= _note(i, target, success);
        }
    }

    /// @dev Calls the wallet of the packed send at calldata offset `item`. Plain Solidity: `wallet.call{gas: gasCap}(
    /// abi.encodeCall(AgentWallet.send, (to, amount, nonce, deadline, r, vs)))`, which would copy the return data.
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

    /// @dev The item's bit if it failed. A call to an address without code succeeds, so code is asked for (it is warm).
    function _note(uint256 index, address target, bool success) private returns (uint256) {
        if (success && target.code.length != 0) return 0;
        emit ItemFailed(index);
        return 1 << index;
    }
}
