// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC1967Proxy} from "@openzeppelin/contracts/proxy/ERC1967/ERC1967Proxy.sol";
import {ERC1967Utils} from "@openzeppelin/contracts/proxy/ERC1967/ERC1967Utils.sol";

/// @title The proxy in front of `UsdcStandIn`, reading what Circle's proxy reads on every call: admin and implementation.
contract UsdcStandInProxy is ERC1967Proxy {
    error AdminCannotCall();

    /// @param proxyAdmin As in Circle's proxy it may not use the token. There is no upgrade function here.
    constructor(address implementation, address proxyAdmin, bytes memory data) ERC1967Proxy(implementation, data) {
        ERC1967Utils.changeAdmin(proxyAdmin);
    }

    function _fallback() internal override {
        if (msg.sender == ERC1967Utils.getAdmin()) revert AdminCannotCall();
        super._fallback();
    }
}
